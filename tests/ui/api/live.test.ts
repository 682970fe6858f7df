import { afterEach, beforeEach, expect, jest, setSystemTime, test } from 'bun:test'
import { signal } from '@preact/signals'
import { createLive, type StreamLogin } from '../../../ui/api/live.ts'
import { createSharedStream, type FromTab, type ToTab, type Wire } from '../../../ui/api/shared-stream.ts'

/** The streams that a page has opened, newest last; a test sends their events. */
const opened: FakeEventSource[] = []

class FakeEventSource extends EventTarget {
  isClosed = false
  constructor() {
    super()
    opened.push(this)
  }
  close() {
    this.isClosed = true
  }
  async send(name: string, data: object) {
    this.dispatchEvent(new MessageEvent(name, { data: JSON.stringify(data) }))
    await settle()
  }
}

/** Lets pending promises settle; timers do not run. */
async function settle() {
  for (let turn = 0; turn < 50; turn += 1) await Promise.resolve()
}

const before = globalThis.EventSource
const START = Date.parse('2026-11-27T03:00:00Z')

beforeEach(() => {
  jest.useFakeTimers()
  setSystemTime(START)
  opened.length = 0
  globalThis.EventSource = FakeEventSource as never
})
afterEach(() => {
  globalThis.EventSource = before
  setSystemTime()
  jest.useRealTimers()
})

/** Two ends as of a `MessageChannel`, whose messages arrive with the next turn. */
function wires(): [tab: Wire<FromTab, ToTab>, stream: Wire<ToTab, FromTab>] {
  const tab: Wire<FromTab, ToTab> = {
    onmessage: null,
    postMessage: (data) => queueMicrotask(() => stream.onmessage?.(new MessageEvent('message', { data }))),
  }
  const stream: Wire<ToTab, FromTab> = {
    onmessage: null,
    postMessage: (data) => queueMicrotask(() => tab.onmessage?.(new MessageEvent('message', { data }))),
  }
  return [tab, stream]
}

/** What a tab or the server may do otherwise than usual. */
interface Options {
  login?: StreamLogin
  whenReady?: () => Promise<void>
  status?: () => number | Promise<number>
}

const MINE: StreamLogin = { login: 'mine', token: 'token' }
const GUEST: StreamLogin = { login: 'guest', token: undefined }

/** A browser whose tabs share a stream by the name of their login, and what was asked of the server. */
function openBrowser({ status = () => 204 }: Pick<Options, 'status'> = {}) {
  const requests: string[][] = []
  const tokens: (string | undefined)[] = []
  const signals: AbortSignal[] = []
  const ended: number[] = []
  const streams = new Map<string, ReturnType<typeof createSharedStream>>()
  const streamOf = (login: string) => {
    const known =
      streams.get(login) ??
      createSharedStream(async ({ subscriptions }, { token, signal }) => {
        requests.push(subscriptions)
        tokens.push(token)
        signals.push(signal)
        return status()
      })
    streams.set(login, known)
    return known
  }
  const openTab = ({ login = MINE, whenReady }: Options = {}) => {
    const current = signal(login)
    const live = createLive({
      ...(whenReady && { whenReady }),
      current,
      join(login) {
        const [tab, stream] = wires()
        streamOf(login)(stream)
        return tab
      },
      onSignedOut: () => ended.push(Date.now()),
    })
    live.open()
    return { live, current }
  }
  return { openTab, requests, tokens, signals, ended }
}

/** A tab of a signed-in account with its stream. */
async function openLive(options: Options = {}) {
  const browser = openBrowser(options)
  const tab = browser.openTab(options)
  await settle()
  await opened[0]?.send('PB_CONNECT', { clientId: 'first' })
  return { ...browser, ...tab, stream: opened[0] as FakeEventSource }
}

const beat = (caller: string) => ['@heartbeat', { caller }] as const

test('a stream without heartbeats is lost after 4.5 s, complete until the last one', async () => {
  const { live, stream } = await openLive()
  expect(live.state.value).toBe('live')
  jest.advanceTimersByTime(4_000)
  setSystemTime(START + 4_000)
  await stream.send(...beat('user'))
  jest.advanceTimersByTime(4_499)
  await settle()
  expect(live.state.value).toBe('live')
  jest.advanceTimersByTime(1)
  await settle()
  expect(live.state.value).toBe('lost')
  expect(live.completeUntil.value).toBe(START + 4_000)
  expect(stream.isClosed).toBe(true)

  jest.advanceTimersByTime(1_000)
  expect(opened).toHaveLength(2)
  // The server accepts connections, but answers nothing.
  jest.advanceTimersByTime(20_000)
  expect(opened.length).toBeGreaterThan(2)
  while (opened.at(-1)?.isClosed) jest.advanceTimersByTime(500)
  await opened.at(-1)?.send('PB_CONNECT', { clientId: 'next' })
  expect([live.state.value, live.completeUntil.value, live.recoveries.value]).toEqual(['live', undefined, 1])
  live.close()
})

test('a machine without network loses the stream at once and opens it when it has one again', async () => {
  const { live } = await openLive()
  dispatchEvent(new Event('offline'))
  await settle()
  expect(live.state.value).toBe('lost')
  dispatchEvent(new Event('online'))
  expect(opened).toHaveLength(2)
  live.close()
})

test('a login that the server no longer knows ends with the second heartbeat of a guest', async () => {
  const { live, stream, requests, ended } = await openLive()
  await stream.send(...beat('user'))
  await stream.send(...beat('guest'))
  // The page may have a newer token, with which it subscribes again.
  expect([requests.length, ended.length]).toEqual([2, 0])
  await stream.send(...beat('user'))
  await stream.send(...beat('guest'))
  await stream.send(...beat('guest'))
  expect(ended).toHaveLength(1)
  live.close()
})

test('heartbeats of a guest mean nothing to a page of a guest', async () => {
  const { live, stream, requests, ended } = await openLive({ login: GUEST })
  await stream.send(...beat('guest'))
  await stream.send(...beat('guest'))
  expect([requests.length, ended.length]).toEqual([1, 0])
  live.close()
})

test('one request subscribes to all topics that the page watches until it is ready', async () => {
  const { promise, resolve } = Promise.withResolvers<void>()
  const { live, requests } = await openLive({ whenReady: () => promise })
  let loads = 0
  for (const topic of ['jobs/*', 'qpus/*']) live.watch([topic], () => undefined)
  live.whenCurrent(() => (loads += 1))
  jest.advanceTimersByTime(1_000)
  await settle()
  expect([requests.length, loads]).toEqual([0, 0])
  const off = live.watch(['notes/*'], () => undefined)
  resolve()
  await settle()
  jest.advanceTimersByTime(1_000)
  await settle()
  expect([requests, loads]).toEqual([[['@heartbeat', 'jobs/*', 'qpus/*', 'notes/*']], 1])
  off()
  jest.advanceTimersByTime(20)
  await settle()
  expect(requests.at(-1)).toEqual(['@heartbeat', 'jobs/*', 'qpus/*'])
  live.close()
})

test('data load once, when all watched topics are confirmed, and again after an interruption', async () => {
  const { live, requests } = await openLive()
  let loads = 0
  const off = live.watch(['jobs/*'], () => undefined)
  live.whenCurrent(() => (loads += 1))
  await settle()
  expect([requests.length, loads]).toEqual([1, 0])
  jest.advanceTimersByTime(20)
  await settle()
  expect(requests.at(-1)).toEqual(['@heartbeat', 'jobs/*'])
  expect([loads, live.recoveries.value]).toEqual([1, 0])
  jest.advanceTimersByTime(5_000)
  expect(loads).toBe(1)
  dispatchEvent(new Event('offline'))
  dispatchEvent(new Event('online'))
  await opened.at(-1)?.send('PB_CONNECT', { clientId: 'next' })
  expect([loads, live.recoveries.value]).toEqual([1, 1])
  off()
  live.close()
})

test('without a stream data load nevertheless, and are loaded again once there is one', async () => {
  const { live } = await openLive()
  dispatchEvent(new Event('offline'))
  await settle()
  let loads = 0
  live.whenCurrent(() => (loads += 1))
  await settle()
  expect(loads).toBe(1)
  live.close()

  // The server accepts the stream, but a proxy keeps what it sends.
  live.open()
  live.whenCurrent(() => (loads += 1))
  jest.advanceTimersByTime(3_000)
  await settle()
  expect(loads).toBe(2)
  await opened.at(-1)?.send('PB_CONNECT', { clientId: 'next' })
  expect(live.recoveries.value).toBe(1)
  live.close()
})

test('tabs of a login share one stream, and each receives the events of what it watches', async () => {
  const { openTab, live, requests, stream } = await openLive()
  const other = openTab()
  const received: string[] = []
  live.watch(['jobs/*'], ({ record }) => received.push(`first ${record.id}`))
  const off = other.live.watch(['jobs/*', 'notes/1'], ({ record }) => received.push(`second ${record.id}`))
  jest.advanceTimersByTime(20)
  await settle()
  expect(requests.at(-1)).toEqual(['@heartbeat', 'jobs/*', 'notes/1'])
  expect([opened.length, other.live.state.value]).toEqual([1, 'live'])
  await stream.send('notes/1', { action: 'update', record: { id: 'note' } })
  await stream.send('jobs/*', { action: 'update', record: { id: 'job' } })
  expect(received).toEqual(['second note', 'first job', 'second job'])
  off()
  live.close()
  jest.advanceTimersByTime(20)
  await settle()
  expect([stream.isClosed, requests.at(-1)]).toEqual([false, ['@heartbeat']])
  other.live.close()
  await settle()
  expect(stream.isClosed).toBe(true)
})

test('a tab takes nothing for confirmed that another one has asked for', async () => {
  const { openTab, live } = await openLive()
  const { promise, resolve } = Promise.withResolvers<void>()
  const other = openTab({ whenReady: () => promise })
  let loads = 0
  for (const each of [live, other.live]) each.watch(['jobs/*'], () => undefined)
  other.live.whenCurrent(() => (loads += 1))
  jest.advanceTimersByTime(20)
  await settle()
  expect(loads).toBe(0)
  resolve()
  await settle()
  expect([loads, opened.length]).toEqual([1, 1])
  for (const each of [live, other.live]) each.close()
})

test('a tab of another login receives nothing of the one that it left', async () => {
  const { openTab, live, current, stream, tokens } = await openLive()
  const stays = openTab()
  const received: string[] = []
  live.watch(['jobs/*'], () => received.push('left'))
  stays.live.watch(['jobs/*'], () => received.push('stays'))
  jest.advanceTimersByTime(20)
  await settle()
  current.value = GUEST
  await settle()
  await opened[1]?.send('PB_CONNECT', { clientId: 'second' })
  await stream.send('jobs/*', { action: 'update', record: { id: 'job' } })
  expect([received, tokens.at(-1), live.recoveries.value]).toEqual([['stays'], undefined, 1])
  for (const each of [live, stays.live]) each.close()
})

test('a change of account ends the requests of the stream that nobody watches any longer', async () => {
  const { promise, resolve } = Promise.withResolvers<number>()
  const { current, signals } = await openLive({ status: () => promise })
  current.value = GUEST
  await settle()
  // The server has forgotten the stream and would refuse the request with 404.
  expect(signals[0]?.aborted).toBe(true)
  resolve(404)
  await settle()
  expect(opened.map(({ isClosed }) => isClosed)).toEqual([true, false])
})

test('a renewed token keeps the stream, which uses it from the next request on', async () => {
  const { live, current, tokens, stream } = await openLive()
  current.value = { ...MINE, token: 'renewed' }
  await settle()
  expect(tokens).toEqual(['token'])
  await stream.send(...beat('guest'))
  expect([tokens, opened.length]).toEqual([['token', 'renewed'], 1])
  live.close()
})

test('a token that the server rejects is reported to each tab, and the stream is lost', async () => {
  const { live, ended } = await openLive({ status: () => 401 })
  expect([ended.length, live.state.value]).toEqual([1, 'lost'])
  live.close()
})
