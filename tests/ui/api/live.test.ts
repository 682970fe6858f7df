import { afterEach, beforeEach, expect, jest, setSystemTime, test } from 'bun:test'
import { createLive } from '../../../ui/api/live.ts'

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

/** A stream of a signed-in account, and what it has asked of the server. */
async function openLive(isSignedIn = true, whenReady?: () => Promise<void>) {
  const requests: string[][] = []
  const ended: number[] = []
  const live = createLive({
    ...(whenReady && { whenReady }),
    subscribe: async (_, topics) => void requests.push(topics),
    isSignedIn: () => isSignedIn,
    onSignedOut: () => ended.push(Date.now()),
  })
  live.open()
  await opened[0]?.send('PB_CONNECT', { clientId: 'first' })
  return { live, requests, ended, stream: opened[0] as FakeEventSource }
}

const beat = (caller: string) => ['@heartbeat', { caller }] as const

test('a stream without heartbeats is lost after 9 s, complete until the last one', async () => {
  const { live, stream } = await openLive()
  expect(live.state.value).toBe('live')
  jest.advanceTimersByTime(4_000)
  setSystemTime(START + 4_000)
  await stream.send(...beat('user'))
  jest.advanceTimersByTime(8_999)
  expect(live.state.value).toBe('live')
  jest.advanceTimersByTime(1)
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
  const { live, stream, requests, ended } = await openLive(false)
  await stream.send(...beat('guest'))
  await stream.send(...beat('guest'))
  expect([requests.length, ended.length]).toEqual([1, 0])
  live.close()
})

test('one request subscribes to all topics that the page watches until it is ready', async () => {
  const { promise, resolve } = Promise.withResolvers<void>()
  const { live, requests } = await openLive(true, () => promise)
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
  let loads = 0
  live.whenCurrent(() => (loads += 1))
  await settle()
  expect(loads).toBe(1)
  live.close()

  // The server accepts the stream, but a proxy keeps what it sends.
  live.open()
  live.whenCurrent(() => (loads += 1))
  jest.advanceTimersByTime(3_000)
  expect(loads).toBe(2)
  await opened.at(-1)?.send('PB_CONNECT', { clientId: 'next' })
  expect(live.recoveries.value).toBe(1)
  live.close()
})
