import { describe, expect, test } from 'bun:test'
import { systemClock } from '../../../../src/base/index.ts'
import { type Database, type ReadTx, StoredJson } from '../../../../src/db/index.ts'
import { users } from '../../../../src/db/store/accounts/index.ts'
import { quantumJobs } from '../../../../src/db/store/jobs/index.ts'
import { ResponseEncoder } from '../../../../src/server/http/response/response-encoder.ts'
import { readValue, StoredChunks } from '../../../../src/server/http/response/stored-chunks.ts'
import { openTestDatabase } from '../../../support/database.ts'
import { ended } from '../../../support/ended-job.ts'
import { openTestServer, type TestServer } from '../../../support/server/server.ts'
import { until } from '../../../support/until.ts'

const MIB = 1024 * 1024
const program = (bytes: number) => ({ circuits: ['é'.repeat(bytes / 2)] })

async function openUser(server: TestServer) {
  const user = await server.createUser()
  return { id: user.id, client: server.as(user) }
}

async function openJobs(sizes: readonly number[]) {
  const test = await openTestDatabase()
  const jobs = await test.db.write('seed', (tx) => {
    const user = tx.insert(users, { email: 'ada@example.org', username: 'ada' })
    return sizes.map((bytes) => tx.insert(quantumJobs, { user_id: user.id, payload: program(bytes) }))
  })
  const stored = jobs.map(
    ({ id }, at) =>
      new StoredJson(quantumJobs, {
        ...{ record: id, field: 'payload' },
        bytes: Buffer.byteLength(JSON.stringify(program(sizes[at] ?? 0))),
      }),
  )
  return { ...test, stored }
}

describe('StoredChunks', () => {
  test('reads a value in slices of 1 MiB that join to its text', async () => {
    await using lab = await openJobs([3 * MIB, 100_000])
    const parts = ['{"a":', ...lab.stored.slice(0, 1), ',"b":', ...lab.stored.slice(1), '}']
    const chunks = new StoredChunks(parts.values(), () => 0)
    const read: Uint8Array[] = []
    await lab.db.read((tx) => {
      for (let chunk = chunks.read(tx); chunk; chunk = chunks.read(tx)) read.push(chunk)
    })
    expect(JSON.parse(Buffer.concat(read).toString())).toEqual({ a: program(3 * MIB), b: program(100_000) })
    expect(read.every((chunk) => chunk.byteLength <= MIB + 100)).toBe(true)
    expect(read.length).toBeGreaterThan(3)
  })

  test('reads to the end on a machine that takes longer than a chunk may before each part', async () => {
    await using lab = await openJobs([])
    let now = 0
    const nextSecond = () => {
      now += 1_000
      return now
    }
    const chunks = new StoredChunks(['', '{"a":', '', '1', '}', ''].values(), nextSecond)
    const read: string[] = []
    await lab.db.read((tx) => {
      for (let chunk = chunks.read(tx); chunk; chunk = chunks.read(tx))
        read.push(Buffer.from(chunk).toString())
    })
    expect(read).toEqual(['{"a":', '1', '}'])
  })

  test.each([
    ['removed with its record', undefined],
    ['removed', null],
    ['replaced', program(MIB)],
  ])('fails when a value was %s after its record was read', async (_, payload) => {
    await using lab = await openJobs([2 * MIB])
    const id = lab.stored[0]?.record ?? ''
    await lab.db.write('change', (tx) =>
      payload === undefined ? tx.remove(quantumJobs, id) : tx.update(quantumJobs, id, { payload }),
    )
    const chunks = new StoredChunks(lab.stored.values(), () => 0)
    const changed = { code: 'unavailable', reason: 'changed_while_sent' }
    await expect(lab.db.read((tx) => chunks.read(tx))).rejects.toMatchObject(changed)
    const [value] = lab.stored
    if (!value) throw new TypeError('nothing is stored')
    await expect(lab.db.read((tx) => readValue(tx, value))).rejects.toMatchObject(changed)
  })

  test('fails when a value is removed while it is sent', async () => {
    await using lab = await openJobs([2 * MIB])
    const chunks = new StoredChunks(lab.stored.values(), () => 0)
    await lab.db.read((tx) => chunks.read(tx))
    await lab.db.write('remove', (tx) => tx.remove(quantumJobs, lab.stored[0]?.record ?? ''))
    const rest = lab.db.read((tx) => chunks.read(tx))
    await expect(rest).rejects.toMatchObject({ reason: 'changed_while_sent' })
  })
})

describe('large values in responses', () => {
  test('a view, a list and a part of them return the same values as the database', async () => {
    await using server = await openTestServer()
    const ada = await openUser(server)
    const sizes = [10, 100_000, 900_000, 3 * MIB]
    const jobs = await server.db.write('seed', (tx) =>
      sizes.map((bytes) => tx.insert(quantumJobs, { user_id: ada.id, payload: program(bytes), ...ended() })),
    )
    for (const [at, { id }] of jobs.entries()) {
      const expected = program(sizes[at] ?? 0)
      const own = await ada.client.get(`/api/jobs/${id}`)
      const record = await ada.client.get(`/api/collections/quantum_jobs/records/${id}`)
      expect([own.get('payload'), record.get('payload')]).toEqual([expected, expected])
    }
    const list = await ada.client.get('/api/jobs?sort=created')
    expect((list.body as { payload: unknown }[]).map(({ payload }) => payload)).toEqual(sizes.map(program))
    const part = await ada.client.get(`/api/jobs/${jobs[1]?.id}?fields=payload.circuits`)
    expect(part.get('payload')).toEqual(program(100_000))
    const refused = await ada.client.get(`/api/jobs/${jobs[3]?.id}?fields=payload.circuits`)
    expect([refused.status, refused.get('code')]).toEqual([413, 'value_too_large'])
    expect((await ada.client.get(`/api/jobs/${jobs[3]?.id}?fields=payload`)).get('payload')).toEqual(
      program(3 * MIB),
    )
  })

  test('a page of 1,000 records is complete', async () => {
    await using server = await openTestServer()
    const ada = await openUser(server)
    await server.db.write('seed', (tx) => {
      for (let at = 0; at < 1_000; at += 1) {
        tx.insert(quantumJobs, {
          user_id: ada.id,
          payload: program(4_000),
          duration: at,
          ...ended(),
        })
      }
    })
    const page = await ada.client.get('/api/collections/quantum_jobs/records?perPage=1000&sort=duration')
    const { items, ...rest } = page.body as { items: { duration: number; payload: unknown }[] }
    expect(rest).toEqual({
      page: 1,
      perPage: 1_000,
      totalItems: 1_000,
      totalPages: 1,
    } as unknown as typeof rest)
    expect(items.map(({ duration }) => duration)).toEqual(Array.from({ length: 1_000 }, (_, at) => at))
    expect(items[999]?.payload).toEqual(program(4_000))
  })

  test('four unread responses of an account leave the next ones waiting; another account is served', async () => {
    await using server = await openTestServer()
    const [ada, bob] = [await openUser(server), await openUser(server)]
    const jobs = await server.db.write('seed', (tx) =>
      [ada, bob].map(({ id }) =>
        tx.insert(quantumJobs, { user_id: id, payload: program(9 * MIB), ...ended() }),
      ),
    )
    const url = (at: number) => `${server.url}/api/jobs/${jobs[at]?.id}`
    const stop = new AbortController()
    const open = () => fetch(url(0), { headers: ada.client.headers, signal: stop.signal })
    const unread = await Promise.all([open(), open(), open(), open()])
    expect(unread.map(({ status }) => status)).toEqual([200, 200, 200, 200])
    const waiting = Array.from({ length: 17 }, () =>
      open().then(
        ({ status }) => status,
        () => 0,
      ),
    )
    expect(await Promise.race(waiting)).toBe(503)
    expect((await bob.client.get(`/api/jobs/${jobs[1]?.id}`)).status).toBe(200)
    // A response that nothing names any more is collected, and its share is free.
    expect(unread.some(({ bodyUsed }) => bodyUsed)).toBe(false)
    stop.abort()
    await Promise.all(waiting)
    // The shares of abandoned responses are free again.
    await until(
      'a share is free',
      async () => (await ada.client.get(`/api/jobs/${jobs[0]?.id}`)).status === 200,
    )
  })

  test('the connection of a response whose value is removed while it is sent ends with an error', async () => {
    await using server = await openTestServer()
    const ada = await openUser(server)
    const job = await server.db.write('seed', (tx) =>
      tx.insert(quantumJobs, { user_id: ada.id, payload: program(9 * MIB), ...ended() }),
    )
    const begun = await fetch(`${server.url}/api/jobs/${job.id}`, { headers: ada.client.headers })
    await server.db.write('remove', (tx) => tx.update(quantumJobs, job.id, { payload: null }))
    expect(begun.status).toBe(200)
    await expect(begun.text()).rejects.toThrow()
    expect((await ada.client.get(`/api/jobs/${job.id}`)).get('payload')).toBeNull()
  })

  test('so does one that waited for its share of the memory while its value was removed', async () => {
    await using lab = await openJobs([3 * MIB, 3 * MIB])
    const encoder = new ResponseEncoder(lab.db, systemClock)
    const stop = new AbortController()
    const encode = (at: number, signal?: AbortSignal) =>
      encoder.encode(
        { payload: lab.stored[at] },
        { status: 200, headers: {} },
        {
          caller: 'ada',
          request: new Request('http://localhost/', { ...(signal && { signal }) }),
        },
      )
    await Promise.all(Array.from({ length: 4 }, () => encode(0, stop.signal)))
    const waiting = encode(1)
    await lab.db.write('remove', (tx) => tx.remove(quantumJobs, lab.stored[1]?.record ?? ''))
    stop.abort()
    await expect((await waiting).text()).rejects.toMatchObject({ reason: 'changed_while_sent' })
  })

  test('a value that fits into one response and is removed before it is read is refused with 503', async () => {
    await using lab = await openJobs([300_000])
    const encoder = new ResponseEncoder(lab.db, systemClock)
    await lab.db.write('remove', (tx) => tx.remove(quantumJobs, lab.stored[0]?.record ?? ''))
    const receiver = { caller: 'ada', request: new Request('http://localhost/') }
    const response = encoder.encode({ payload: lab.stored[0] }, { status: 200, headers: {} }, receiver)
    await expect(response).rejects.toMatchObject({ code: 'unavailable', reason: 'changed_while_sent' })
  })

  test('other requests run longer after a chunk while more chunks wait', async () => {
    await using lab = await openJobs([4 * MIB, 4 * MIB])
    let time = 0
    const pauses: number[] = []
    const clock = {
      ...systemClock,
      monotonic: () => time,
      sleep: async (ms: number) => void pauses.push(ms),
    }
    const db: Database = Object.assign(Object.create(lab.db), {
      read<T>(work: (tx: ReadTx) => T) {
        time += 4
        return lab.db.read(work)
      },
    })
    const encoder = new ResponseEncoder(db, clock)
    const read = async (at: number) => {
      const receiver = { caller: `user${at}`, request: new Request('http://localhost/') }
      const head = { status: 200, headers: {} }
      await (await encoder.encode({ payload: lab.stored[at] }, head, receiver)).text()
    }
    await read(0)
    expect(new Set(pauses)).toEqual(new Set([4]))
    await Promise.all([read(0), read(1)])
    expect(pauses).toContain(12)
  })

  test('HEAD takes no memory for large responses', async () => {
    await using server = await openTestServer()
    const ada = await openUser(server)
    const job = await server.db.write('seed', (tx) =>
      tx.insert(quantumJobs, { user_id: ada.id, payload: program(3 * MIB), ...ended() }),
    )
    for (let at = 0; at < 6; at += 1) {
      const { headers } = ada.client
      const response = await fetch(`${server.url}/api/jobs/${job.id}`, { method: 'HEAD', headers })
      expect([response.status, (await response.text()).length]).toEqual([200, 0])
    }
    expect((await ada.client.get(`/api/jobs/${job.id}`)).status).toBe(200)
  })
})
