import { afterEach, beforeEach, expect, jest, test } from 'bun:test'
import { ApiError } from '../../../ui/api/api.ts'
import { createResource } from '../../../ui/api/resource.ts'

beforeEach(() => void jest.useFakeTimers())
afterEach(() => void jest.useRealTimers())

test('load() retains the last copy when a later request fails, and clears the error when one succeeds', async () => {
  let fail = false
  let reading = 0
  const resource = createResource(async () => {
    reading += 1
    if (fail) throw new ApiError(503, 'Restoring')
    return reading
  })
  await resource.load()
  expect(resource.value.value).toBe(1)
  fail = true
  await resource.load()
  expect(resource.value.value).toBe(1)
  expect(resource.error.value?.message).toBe('Restoring')
  fail = false
  await resource.load()
  expect(resource.value.value).toBe(3)
  expect(resource.error.value).toBeUndefined()
})

test('load() aborts the pending request, however late its response arrives', async () => {
  const responses: ((text: string) => void)[] = []
  const signals: AbortSignal[] = []
  const resource = createResource((signal) => {
    signals.push(signal)
    return new Promise<string>((resolve) => responses.push(resolve))
  })
  const first = resource.load()
  const second = resource.load()
  expect(signals.map(({ aborted }) => aborted)).toEqual([true, false])
  responses[1]?.('new')
  await second
  responses[0]?.('old')
  await first
  expect(resource.value.value).toBe('new')
})

test('loadSoon() combines many calls into one request; a later call makes another', async () => {
  let readings = 0
  const resource = createResource(async () => {
    readings += 1
    return readings
  })
  for (let call = 0; call < 10; call += 1) resource.loadSoon(0)
  jest.advanceTimersByTime(10_000)
  expect(readings).toBe(1)
  resource.loadSoon(0)
  jest.advanceTimersByTime(10_000)
  expect(readings).toBe(2)
})

test('loadSoon() delays the next request, but a shorter delay overrides a longer one', async () => {
  let readings = 0
  const resource = createResource(async () => {
    readings += 1
    return readings
  })
  await resource.load()
  resource.loadSoon(10_000)
  jest.advanceTimersByTime(9_000)
  expect(readings).toBe(1)
  resource.loadSoon(0)
  jest.advanceTimersByTime(100)
  expect(readings).toBe(2)
  jest.advanceTimersByTime(60_000)
  expect(readings).toBe(2)
})

test('clear() drops the copy and the pending and planned requests', async () => {
  let response: (text: string) => void = () => undefined
  let readings = 0
  const resource = createResource(() => {
    readings += 1
    return new Promise<string>((resolve) => {
      response = resolve
    })
  })
  const loading = resource.load()
  resource.loadSoon(0)
  resource.clear()
  response('late')
  await loading
  jest.advanceTimersByTime(10_000)
  expect(readings).toBe(1)
  expect(resource.value.value).toBeUndefined()
})

test('loadSoon() without end lets each request end, and aborts one that hangs', async () => {
  const ended: number[] = []
  let readMs = 1_000
  const signals: AbortSignal[] = []
  const resource = createResource(async (signal) => {
    signals.push(signal)
    const started = performance.now()
    await new Promise((resolve) => setTimeout(resolve, readMs))
    if (!signal.aborted) ended.push(started)
  })
  const pass = async (ms: number) => {
    for (let passed = 0; passed < ms; passed += 100) {
      resource.loadSoon()
      jest.advanceTimersByTime(100)
      for (let turn = 0; turn < 5; turn += 1) await Promise.resolve()
    }
  }
  await pass(10_000)
  expect(ended.length).toBeGreaterThan(7)
  const before = signals.length
  readMs = 1_000_000
  await pass(30_000)
  expect(signals.length - before).toBeGreaterThan(2)
})
