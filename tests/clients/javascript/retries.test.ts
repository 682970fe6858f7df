import { afterEach, describe, expect, jest, spyOn, test } from 'bun:test'
import {
  ConnectionLostError,
  RateLimitedError,
  ServerError,
  SvcClient,
  type TransportOptions,
} from '../../../clients/js/src/index.ts'
import { sleep } from '../../../clients/js/src/repetition.ts'

const bell = { circuits: ['OPENQASM 3.0; qubit q;'] }

const SOMEWHERE = { baseUrl: 'http://127.0.0.1:1', apiToken: 'token' }

/** What `fetch` rejects with. */
const fault = (code: string) => Object.assign(new TypeError(code), { code })

/** The outcome of calls while the clock, which begins at 0, moves on whenever they sleep. */
async function passing<T>(act: () => Promise<T>): Promise<T> {
  jest.useFakeTimers({ now: 0 })
  try {
    let isOver = false
    const outcome = act().finally(() => {
      isOver = true
    })
    // Handled where it is awaited.
    outcome.catch(() => {})
    while (!isOver) {
      for (let turn = 0; turn < 20; turn += 1) await Promise.resolve()
      if (!isOver && jest.getTimerCount() > 0) jest.advanceTimersToNextTimer()
    }
    return await outcome
  } finally {
    jest.useRealTimers()
  }
}

/** The outcome of a submission, and how long it took, in ms. */
function outlast(answer: (now: number) => Response | Error, options: Partial<TransportOptions> = {}) {
  return passing(async () => {
    const keys = new Set<string | null>()
    let requests = 0
    const fetch = async (_: string, init: RequestInit) => {
      requests += 1
      keys.add(new Headers(init.headers).get('Idempotency-Key'))
      const found = answer(Date.now())
      if (found instanceof Error) throw found
      return found
    }
    const svc = new SvcClient({ ...SOMEWHERE, fetch, ...options })
    const outcome = await svc
      .submitJob(bell, { idempotencyKey: 'mine' })
      .catch((error: unknown) => error as ConnectionLostError)
    return { outcome, took: Date.now(), keys, requests }
  })
}

const job = () => Response.json({ id: 'job', status: 'pending' })

describe('a submission', () => {
  test('outlasts a server that is down, under one key, however few tries are allowed', async () => {
    const { outcome, took, keys } = await outlast(
      (now) =>
        now < 60_000 ? fault('ECONNREFUSED') : now < 90_000 ? new Response('', { status: 502 }) : job(),
      { retries: { tries: 1 } },
    )
    expect([outcome instanceof Error, [...keys]]).toEqual([false, ['mine']])
    expect([took >= 90_000, took <= 101_000]).toEqual([true, true])
  })

  test.each([
    ['ECONNREFUSED', false, 'no job was submitted'],
    ['ECONNRESET', true, 'there may be a job'],
  ])('that ends without a response after %s has its key', async (code, maybeDone, state) => {
    let isFirst = true
    const { outcome, took } = await outlast(() => {
      const error = fault(isFirst ? code : 'ECONNREFUSED')
      isFirst = false
      return error
    })
    expect(outcome).toBeInstanceOf(ConnectionLostError)
    expect(outcome).toMatchObject({ idempotencyKey: 'mine', maybeDone })
    expect((outcome as Error).message).toContain(`${state}, its idempotency key is mine: client.resume(key)`)
    expect(took).toBeGreaterThanOrEqual(590_000)
  })

  test('counts what the server itself reports', async () => {
    const refusal = { code: 'internal', message: 'Internal error', status: 500 }
    const { outcome, requests } = await outlast(() => Response.json(refusal, { status: 500 }))
    expect(outcome).toBeInstanceOf(ServerError)
    expect([requests, (outcome as ConnectionLostError).idempotencyKey]).toEqual([5, 'mine'])
  })

  test.each(['ENOTFOUND', 'CERT_HAS_EXPIRED', 'DEPTH_ZERO_SELF_SIGNED_CERT', 'ERR_SSL_WRONG_VERSION_NUMBER'])(
    'with the failure %s ends at once, unless the server was connected before',
    async (code) => {
      const { outcome, requests } = await outlast(() => fault(code))
      expect(outcome).toMatchObject({ isDefinite: true, idempotencyKey: undefined })
      expect(requests).toBe(1)
      const answers = [fault('ECONNRESET'), fault(code), job()]
      expect((await outlast(() => answers.shift() ?? job())).outcome).not.toBeInstanceOf(Error)
    },
  )

  test('goes on with the next address, and ends with the token that expired meanwhile', async () => {
    const refusal = () => Response.json({ code: 'unauthorized', message: 'No' }, { status: 401 })
    const answers = [fault('ENOTFOUND'), fault('ECONNRESET'), refusal()]
    const baseUrl = ['https://wrong.example', 'https://svc.example']
    const { outcome, requests } = await outlast(() => answers.shift() ?? refusal(), { baseUrl })
    expect(outcome).toMatchObject({ status: 401, idempotencyKey: 'mine' })
    expect(requests).toBe(3)
    expect(await outlast(refusal)).toMatchObject({ outcome: { idempotencyKey: undefined }, requests: 1 })
  })

  test('lasts at most as long as the server keeps keys', () => {
    const retries = { withoutResponseMs: 86_400_000 }
    expect(() => new SvcClient({ baseUrl: 'http://127.0.0.1:1', retries })).toThrow('expected 0 to 82800000')
  })
})

describe('in a page', () => {
  const GLOBALS = ['location', 'navigator'] as const
  const before = GLOBALS.map((name) => Object.getOwnPropertyDescriptor(globalThis, name))

  function open(origin: string): void {
    const page = { location: { origin }, navigator: { userAgent: 'Mozilla/5.0' } }
    for (const name of GLOBALS)
      Object.defineProperty(globalThis, name, { value: page[name], configurable: true })
  }

  afterEach(() => {
    GLOBALS.forEach((name, at) => {
      const descriptor = before[at]
      if (descriptor) Object.defineProperty(globalThis, name, descriptor)
      else Reflect.deleteProperty(globalThis, name)
    })
  })

  /** What browsers reject with, whatever the reason. */
  const blocked = () => new TypeError('Failed to fetch')

  test('a server that never responds is taken within seconds for one that does not allow the origin', async () => {
    open('https://app.example')
    const { outcome, took, requests } = await outlast(blocked)
    expect(outcome).toMatchObject({ name: 'ConnectionLostError', isDefinite: true, idempotencyKey: 'mine' })
    expect((outcome as Error).message).toContain(
      'pages of https://app.example, which its setting --cors-origins does',
    )
    expect([took >= 5_000, took <= 20_000, requests > 2]).toEqual([true, true, true])
  })

  test('a wait for its jobs ends as well, and any other request names the setting', async () => {
    open('null')
    jest.useFakeTimers({ now: 0 })
    try {
      const fetch = async () => {
        jest.setSystemTime(Date.now() + 6_000)
        throw blocked()
      }
      const svc = new SvcClient({
        baseUrl: 'http://127.0.0.1:1',
        apiToken: 'token',
        fetch,
        retries: { tries: 1 },
      })
      await expect(svc.me()).rejects.toThrow('pages of null, which its setting --cors-origins does')
      const wait = svc.wait(['one', 'two']).catch((error: unknown) => error)
      await Promise.resolve()
      jest.advanceTimersToNextTimer()
      expect(await wait).toMatchObject({ isDefinite: true })
    } finally {
      jest.useRealTimers()
    }
  })

  test('a server that has responded is waited for when it restarts, and so is one of the same origin', async () => {
    open('https://app.example')
    const restarting = await outlast((now) =>
      now === 0 ? new Response('', { status: 502 }) : now < 60_000 ? blocked() : job(),
    )
    expect([restarting.outcome instanceof Error, restarting.took >= 60_000]).toEqual([false, true])
    open('http://127.0.0.1:1')
    const own = await outlast((now) => (now < 60_000 ? blocked() : job()))
    expect([own.outcome instanceof Error, own.took >= 60_000]).toEqual([false, true])
  })
})

/** A client of a server that responds with these statuses, then with 200; counts the requests. */
function clientOf(statuses: readonly number[], retries = {}) {
  const seen = { requests: 0, keys: new Set<string | null>() }
  const fetch = async (_: string, init: RequestInit) => {
    seen.keys.add(new Headers(init.headers).get('Idempotency-Key'))
    const status = statuses[seen.requests] ?? 200
    seen.requests += 1
    const body =
      status === 200 ? { id: 'job', status: 'pending' } : { status, message: 'Try again', code: '' }
    return Response.json(body, { status, headers: { 'Retry-After': '0.001' } })
  }
  return { seen, svc: new SvcClient({ baseUrl: 'http://127.0.0.1:1', apiToken: 'token', fetch, retries }) }
}

describe('a request', () => {
  test('that is limited is repeated until it succeeds: a limit is no failure', async () => {
    const { seen, svc } = clientOf(Array(20).fill(429))
    await svc.submitJob(bell)
    expect([seen.requests, seen.keys.size]).toEqual([21, 1])
  })

  test('that is limited for too long ends with the class of the limit', async () => {
    const { svc } = clientOf(Array(1_000_000).fill(429), { withoutResponseMs: 20 })
    expect(await svc.submitJob(bell).catch((error: unknown) => error)).toBeInstanceOf(RateLimitedError)
  })

  test.each([503, 500])('that fails with %i is tried 5 times', async (status) => {
    const { seen, svc } = clientOf(Array(9).fill(status))
    await expect(svc.me()).rejects.toBeInstanceOf(ServerError)
    expect(seen.requests).toBe(5)
  })

  test('that may have been carried out is not repeated without a key', async () => {
    const { seen, svc } = clientOf([500, 500])
    await expect(svc.tokens.create({ name: 'laptop' })).rejects.toThrow('Try again')
    expect(seen.requests).toBe(1)
  })
})

test('a server that stands by is left for the next address at once, and no failure while none leads', async () => {
  const first: string[] = []
  const standby = () =>
    Response.json(
      { code: 'not_leader', message: 'Stands by' },
      { status: 503, headers: { 'retry-after': '0' } },
    )
  const svc = new SvcClient({
    baseUrl: 'http://one, http://two',
    apiToken: 'token',
    retries: { tries: 1 },
    async fetch(url) {
      first.push(new URL(url).host)
      return first.length <= 6 ? standby() : Response.json([])
    },
  })
  expect(await svc.qpus()).toEqual([])
  expect(first).toEqual(['one', 'two', 'one', 'two', 'one', 'two', 'one'])
  await svc.qpus()
  expect(first.at(-1)).toBe('one')
})

describe('the limit of silence', () => {
  /** A `fetch` whose response has a part each minute, the last one only if it ends. */
  function slow(isEnding: boolean) {
    const found = { requests: 0, fetch }
    async function fetch(_: string, { signal }: RequestInit) {
      found.requests += 1
      const parts = ['{"role":', '"use', 'r"', '}']
      const body = new ReadableStream({
        start: (controller) => signal?.addEventListener('abort', () => controller.error(fault('ABORT_ERR'))),
        async pull(controller) {
          const part = parts.shift()
          if (part === undefined) return isEnding ? controller.close() : new Promise(() => {})
          await new Promise((resolve) => setTimeout(resolve, 60_000))
          controller.enqueue(new TextEncoder().encode(part))
        },
      })
      return new Response(body)
    }
    return found
  }

  test('begins again with each part of a response, which is read once', async () => {
    const server = slow(true)
    const me: unknown = await passing(() => new SvcClient({ ...SOMEWHERE, fetch: server.fetch }).me())
    expect([me, server.requests]).toEqual([{ role: 'user' }, 1])
  })

  test('ends a response of which nothing more comes', async () => {
    const server = slow(false)
    const options = { ...SOMEWHERE, fetch: server.fetch, retries: { tries: 2, withinMs: 600_000 } }
    const failed = passing(() => new SvcClient(options).me())
    expect(await failed.catch((error: unknown) => error)).toBeInstanceOf(ConnectionLostError)
    expect(server.requests).toBe(2)
  })
})

test('no timer is longer than runtimes have', async () => {
  const spy = spyOn(globalThis, 'setTimeout')
  const month = 30 * 86_400_000
  await passing(() => sleep(month))
  expect(spy.mock.calls.map(([, ms]) => ms)).toEqual([2 ** 31 - 1, month - (2 ** 31 - 1)])
  spy.mockRestore()
})

test('one 404 of the route for many jobs does not end its use', async () => {
  let changes = 0
  const fetch = async (url: string) => {
    const raw = { id: 'job', status: 'pending' }
    if (!url.includes('/changes')) return Response.json(raw)
    changes += 1
    if (changes === 1) return new Response('no such page', { status: 404 })
    return Response.json({ jobs: [{ ...raw, status: 'cancelled' }], unknown: [] })
  }
  const svc = new SvcClient({ ...SOMEWHERE, fetch })
  const ended = await passing(async () => (await svc.job('job')).wait({ timeoutMs: 90 * 86_400_000 }))
  expect([ended.status, changes]).toEqual(['cancelled', 2])
})
