import { afterAll, expect, test } from 'bun:test'
import * as v from 'valibot'
import { JsonText } from '../../../src/db/index.ts'
import { calibrationReport, EVENT_LIMITS, type EventEnvelope } from '../../../src/protocol/index.ts'
import { RATES } from '../../../src/server/admission/limits.ts'
import { EventParser } from '../../../src/server/drivers/event-parser.ts'
import { Receiver } from '../../../src/server/drivers/receive.ts'
import { recordedLog } from '../../driver/support/logs.ts'
import { FakeClock } from '../../support/fake-clock.ts'
import { until } from '../../support/until.ts'

const SOURCE = { driver: 'd', name: 'north', qpu: 'q', operation: 'process', epoch: 1 }

const parser = new EventParser()
afterAll(() => parser.stop())

function open({ rateLimit = 0, stored = () => Promise.resolve() } = {}) {
  const handled: string[] = []
  const rejected: string[] = []
  const dropped: string[] = []
  const events: EventEnvelope[] = []
  const clock = new FakeClock()
  const { log, lines } = recordedLog()
  const receiver = new Receiver({
    source: SOURCE,
    handle: async (_, event) => {
      handled.push(event.id)
      events.push(event)
      await stored()
    },
    parser,
    onDropped: (reason) => void dropped.push(reason),
    onRejected: (event) => void rejected.push(event),
    onUnapplied: () => undefined,
    rateLimit: () => rateLimit,
    clock,
    log,
  })
  const take = async (event: unknown) => {
    const text = typeof event === 'string' ? event : JSON.stringify(event)
    receiver.receive(new TextEncoder().encode(text), () => undefined)
    await until('the event is processed', () => !receiver.isBusy)
  }
  return { handled, rejected, dropped, events, take, receiver, clock, lines }
}

const ts = '2026-01-31T09:05:00.000Z'
const failure = { class: 'device', message: 'The pump stopped' }
const result = {
  job: 'abcdefghijklmno',
  attempt: 1,
  epoch: 1,
  execution_ms: 5,
  status: 'failed',
  error: failure,
}

test('receive() passes a valid event to the handler and rejects nothing', async () => {
  const { handled, rejected, take } = open()
  await take({ type: 'JobResult', id: 'r1', ts, payload: result })
  expect([handled, rejected]).toEqual([['r1'], []])
})

test('receive() rejects a result with an invalid payload, which would otherwise be sent again and again', async () => {
  const { handled, rejected, take } = open()
  await take({ type: 'JobResult', id: 'r1', ts, payload: { ...result, attempt: 'first' } })
  await take({ type: 'JobResult', id: 'r2', ts, payload: null })
  expect([handled, rejected]).toEqual([[], ['r1', 'r2']])
})

test('receive() rejects a result that is too large to be parsed', async () => {
  const { handled, rejected, take } = open()
  const padding = 'x'.repeat(9 * 1024 * 1024)
  await take({ type: 'JobResult', id: 'r1', ts, payload: { ...result, padding } })
  await take({ payload: { ...result, padding }, type: 'JobResult', id: 'r2', ts })
  expect([handled, rejected]).toEqual([[], ['r1']])
})

test('receive() replaces an unreadable report by a failed one, so that its request ends', async () => {
  const { events, rejected, take } = open()
  const padding = 'x'.repeat(9 * 1024 * 1024)
  const report = { type: 'CalibrationReport', ts, payload: { status: 'fine' } }
  await take({ type: report.type, id: 'run000000000001', ts, payload: { padding } })
  await take({ type: report.type, id: 'run000000000002', ts, payload: report.payload })
  await take({ type: report.type, id: 'not the id of a run', ts, payload: report.payload })
  expect(events.map(({ id, payload }) => [id, (payload as { errors: string[] }).errors])).toEqual([
    ['run000000000001', ['The report of the tuner cannot be read: it is larger than 8 MiB']],
    ['run000000000002', [expect.stringContaining('cannot be read: ')]],
  ])
  expect(rejected).toEqual(['not the id of a run'])
  for (const { payload } of events) expect(v.is(calibrationReport, payload)).toBe(true)
})

test('receive() fails a job whose results are too large, because a retry would produce the same', async () => {
  const { handled, rejected, events, take } = open()
  const padding = 'x'.repeat(9 * 1024 * 1024)
  await take({ type: 'JobResult', id: 'abcdefghijklmno.2', ts, payload: { ...result, padding } })
  expect([handled, rejected]).toEqual([['abcdefghijklmno.2'], []])
  expect(events[0]?.payload).toMatchObject({
    job: 'abcdefghijklmno',
    attempt: 2,
    epoch: 1,
    error: { class: 'user', error_code: 'results_too_large' },
  })
})

test('receive() does not acknowledge a dropped event that no driver sends again', async () => {
  const { handled, rejected, take } = open({ rateLimit: 1 })
  await take({ type: 'JobStarted', id: 'e1', ts, payload: 7 })
  await take({ type: 'Gossip', id: 'e2', ts, payload: {} })
  await take({ type: 'JobStarted', id: 'e3', ts, payload: { padding: 'x'.repeat(70_000) } })
  await take('{"type":"JobResult","id":')
  await take({ type: 'JobResult', id: '', ts, payload: result })
  expect([handled, rejected]).toEqual([[], []])
})

test('Receiver reports the reason for each dropped event once', async () => {
  const { take, dropped } = open({ rateLimit: 1 })
  const event = { type: 'CryostatReading', id: 'a', ts, payload: { readings: [] } }
  await take('no event')
  await take({ ...event, type: 'Unknown' })
  await take({ ...event, payload: { readings: 'none' } })
  await take(event)
  await take({ ...event, payload: { text: 'x'.repeat(70_000) } })
  expect(dropped).toEqual(['not_an_event', 'unknown_type', 'bad_payload', 'rate_limit', 'too_large'])
})

const bytesOf = (event: object) => new TextEncoder().encode(JSON.stringify(event))

/** Sends as a socket does: a refused message again as soon as the receiver is ready. Returns what passed. */
function sendAll(receiver: Receiver, messages: readonly Uint8Array[]): { accepted: number } {
  const state = { accepted: 0 }
  const send = () => {
    for (let next = messages[state.accepted]; next; next = messages[state.accepted]) {
      if (receiver.receive(next, send) === false) return
      state.accepted += 1
    }
  }
  send()
  return state
}

test.each([
  ['heartbeats', { type: 'JobHeartbeat', payload: { job: 'abcdefghijklmno', attempt: 1 } }, 'handled'],
  ['results', { type: 'JobResult', payload: result }, 'handled'],
  ['unknown types', { type: 'Gossip', payload: {} }, 'dropped'],
  ['malformed payloads', { type: 'JobResult', payload: { job: 7 } }, 'dropped'],
  ['messages that are no events', { hello: 1 }, 'dropped'],
] as const)('receive() reads %s above the budget later, and loses none', async (_, event, kind) => {
  const opened = open()
  const { receiver, clock } = opened
  const count = RATES.driverMessages.current().burst + RATES.driverMessages.current().perSecond
  const state = sendAll(receiver, Array<Uint8Array>(count).fill(bytesOf({ id: 'x', ts, ...event })))
  const { burst: messagesBurst, perSecond: messagesPerSecond } = RATES.driverMessages.current()
  // One sleeper is the budget; dropped messages have another one, the interval of their log.
  const sleepers = kind === 'handled' ? 1 : 2
  const isPaused = () => opened[kind].length >= messagesBurst && clock.sleepers >= sleepers
  await until('the pause after the burst', isPaused)
  expect([opened[kind].length, clock.sleepers]).toEqual([messagesBurst, sleepers])
  // What waits is bounded; the rest stays in the socket.
  expect(state.accepted - messagesBurst).toBeLessThanOrEqual(64)
  await clock.advance(500)
  const half = messagesBurst + messagesPerSecond / 2
  await until('the pause after half a second more', () => opened[kind].length >= half && isPaused())
  expect(opened[kind].length).toBeLessThanOrEqual(half + 1)
  await clock.advance(501)
  await until('all', () => opened[kind].length === count)
  expect([opened.handled.length, opened.dropped.length]).toEqual(kind === 'handled' ? [count, 0] : [0, count])
})

test('receive() reads large events above the budget of bytes later, and loses none', async () => {
  const { receiver, clock, handled } = open()
  const padding = { error: { class: 'user', message: 'x'.repeat(4_000) }, more: 'x'.repeat(8_000_000) }
  const large = bytesOf({ type: 'JobResult', id: 'r', ts, payload: { ...result, ...padding } })
  const passing = Math.floor(RATES.driverBytes.current().burst / large.length)
  const state = sendAll(receiver, Array<Uint8Array>(passing + 2).fill(large))
  await until('the pause after the burst', () => handled.length >= passing && clock.sleepers === 1)
  // One of 8 MB waits; the other stays in the socket.
  expect([handled.length, state.accepted]).toEqual([passing, passing + 1])
  for (let step = 0; step < 40 && handled.length < passing + 2; step += 1) await clock.advance(50)
  await until('all', () => handled.length === passing + 2, { clock })
})

test('close() handles what was accepted without waiting for the budget', async () => {
  const { receiver, handled } = open()
  const event = bytesOf({ type: 'JobResult', id: 'r', ts, payload: result })
  const count = RATES.driverMessages.current().burst + 10
  const state = sendAll(receiver, Array<Uint8Array>(count).fill(event))
  await until('the burst', () => handled.length === RATES.driverMessages.current().burst)
  await receiver.close()
  expect([handled.length, state.accepted]).toEqual([count, count])
})

test('receive() logs at most one line per second about dropped events, with their number', async () => {
  const { receiver, clock, lines, dropped, take } = open({ rateLimit: 1 })
  sendAll(receiver, Array<Uint8Array>(500).fill(bytesOf({ type: 'Gossip', id: 'x', ts, payload: {} })))
  await until('all', () => dropped.length === 500)
  expect(lines).toHaveLength(1)
  expect(lines[0]).toMatchObject({ driver: 'north', type: 'Gossip', dropped: 1 })
  await take('no event')
  await clock.advance(1_000)
  expect(lines).toHaveLength(2)
  expect(lines[1]).toMatchObject({
    message: 'event dropped: unknown type',
    dropped: 500,
    kinds: { 'event dropped: unknown type': 499, 'event dropped: not an event': 1 },
  })
  // A quiet second ends the interval.
  await clock.advance(1_000)
  await take('no event')
  expect(lines[2]).toMatchObject({ message: 'event dropped: not an event', dropped: 1 })
  await take('no event')
  await receiver.close()
  expect(lines[3]).toMatchObject({ dropped: 1 })
  expect(lines).toHaveLength(4)
})

test('receive() drops telemetry above the rate without parsing it, whatever type it claims first', async () => {
  const { dropped, handled, take } = open({ rateLimit: 1 })
  const reading = { type: 'CryostatReading', id: 'x', ts, payload: { readings: {} } }
  await take(reading)
  await take(reading)
  await take(`{"type":"CryostatReading","id":"x", no JSON`)
  await take(`{"type":"JobResult","id":"y",${JSON.stringify(reading).slice(1)}`)
  expect([handled.length, dropped]).toEqual([1, ['rate_limit', 'rate_limit', 'rate_limit']])
})

test('receive() decides about surplus at arrival, and passes the readings on before a slow disk has stored those before them', async () => {
  const disk = Promise.withResolvers<void>()
  const { receiver, clock, handled, dropped, lines } = open({ rateLimit: 10, stored: () => disk.promise })
  const ages: number[] = []
  // 3 s of 50 readings per second: the burst and 10 per second are kept.
  for (let n = 0; n < 150; n += 1) {
    const before = handled.length
    const at = clock.now()
    receiver.receive(
      bytesOf({ type: 'CryostatReading', id: `${n}`, ts, payload: { readings: {} } }),
      () => undefined,
    )
    await until('it is handled or dropped', () => handled.length + dropped.length === n + 1)
    if (handled.length > before) ages.push(clock.now() - at)
    await clock.advance(20)
  }
  expect([handled.length, dropped.length]).toEqual([39, 111])
  expect(new Set(ages)).toEqual(new Set([0]))
  // What is no telemetry waits for what came before it.
  receiver.receive(bytesOf({ type: 'JobResult', id: 'r', ts, payload: result }), () => undefined)
  await clock.advance(1_000)
  expect(handled).not.toContain('r')
  disk.resolve()
  await until('the result is handled', () => handled.includes('r'))
  await receiver.close()
  const logged = lines.filter(({ message }) => message === 'rate limit exceeded, dropping event')
  expect(logged.reduce((sum, line) => sum + Number(line['dropped']), 0)).toBe(111)
})

test('receive() keeps what waits for a slow disk bounded', async () => {
  const disk = Promise.withResolvers<void>()
  const { receiver, handled } = open({ stored: () => disk.promise })
  const reading = bytesOf({ type: 'CryostatReading', id: 'x', ts, payload: { readings: {} } })
  const state = sendAll(receiver, Array<Uint8Array>(1_000).fill(reading))
  await until('the socket waits', () => handled.length === 64)
  await new Promise((resolve) => setImmediate(resolve))
  expect(handled).toHaveLength(64)
  expect(state.accepted).toBeLessThanOrEqual(128)
  disk.resolve()
  await until('all are handled', () => handled.length === 1_000)
})

test('receive() counts a large event of telemetry once per 4 KiB, and lets one pass at any rate', async () => {
  for (const [rateLimit, passing] of [
    [100, 12],
    [1, 1],
  ] as const) {
    const { dropped, handled, take } = open({ rateLimit })
    const readings = { x: { value: 1, unit: 'K', status: 'ok', note: 'n'.repeat(30_000) } }
    for (let count = 0; count < 14; count += 1) {
      await take({ type: 'CryostatReading', id: 'x', ts, payload: { readings } })
    }
    expect([handled.length, dropped.length]).toEqual([passing, 14 - passing])
  }
})

test('receive() passes large fields on as text, small events and those of the thread alike', async () => {
  const { events, dropped, take } = open()
  const header = { name: 'c', n_qubits: 1, memory_slots: 1, creg_sizes: [], qreg_sizes: [], metadata: {} }
  for (const shots of [1, 100_000]) {
    const memory = Array(shots).fill('0x1')
    const circuit = { shots, memory, header, metadata: {} }
    const results = { success: true, backend: 'x', shots, circuit_results: [circuit], metadata: {} }
    const { error: _, ...common } = result
    await take({ type: 'JobResult', id: 'r', ts, payload: { ...common, status: 'completed', results } })
    const [received] = events.splice(0).map(({ payload }) => Reflect.get(payload as object, 'results'))
    expect(received).toBeInstanceOf(JsonText)
    expect((received as JsonText).toJSON()).toEqual(results)
  }
  expect(dropped).toEqual([])
})

test('receive() drops messages of several frames', async () => {
  const { receiver, dropped, handled } = open()
  receiver.receive('frames', () => undefined)
  await until('it is dropped', () => dropped.length === 1)
  expect([dropped, handled]).toEqual([['not_an_event'], []])
})

test('receive() accepts an event of the maximum size', async () => {
  const { handled, take } = open()
  const frame = JSON.stringify({ type: 'JobResult', id: 'r', ts, payload: { ...result, more: '' } })
  const more = 'x'.repeat(EVENT_LIMITS.acknowledgedBytes - frame.length)
  await take({ type: 'JobResult', id: 'r', ts, payload: { ...result, more } })
  await take({ type: 'JobResult', id: 'r', ts, payload: { ...result, more: `${more}x` } })
  expect(handled).toEqual(['r'])
})
