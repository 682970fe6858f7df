import { expect, test } from 'bun:test'
import * as v from 'valibot'
import { silentLog } from '../../../src/base/index.ts'
import { calibrationReport, type EventEnvelope } from '../../../src/protocol/index.ts'
import { Receiver } from '../../../src/server/drivers/receive.ts'
import { FakeClock } from '../../support/fake-clock.ts'

const SOURCE = { driver: 'd', name: 'north', qpu: 'q', operation: 'process', epoch: 1 }

function open({ rateLimit = 0 } = {}) {
  const handled: string[] = []
  const rejected: string[] = []
  const dropped: string[] = []
  const events: EventEnvelope[] = []
  const receiver = new Receiver({
    source: SOURCE,
    handle: async (_, event) => {
      handled.push(event.id)
      events.push(event)
    },
    onDropped: (reason) => void dropped.push(reason),
    onRejected: (event) => void rejected.push(event),
    rateLimit: () => rateLimit,
    clock: new FakeClock(),
    log: silentLog,
  })
  const take = async (event: unknown) => {
    const text = typeof event === 'string' ? event : JSON.stringify(event)
    receiver.receive(new TextEncoder().encode(text), () => undefined)
    await receiver.drained()
  }
  return { handled, rejected, dropped, events, take }
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
  const padding = 'x'.repeat(34 * 1024 * 1024)
  await take({ type: 'JobResult', id: 'r1', ts, payload: { ...result, padding } })
  await take({ payload: { ...result, padding }, type: 'JobResult', id: 'r2', ts })
  expect([handled, rejected]).toEqual([[], ['r1']])
})

test('receive() replaces an unreadable report by a failed one, so that its request ends', async () => {
  const { events, rejected, take } = open()
  const padding = 'x'.repeat(34 * 1024 * 1024)
  const report = { type: 'CalibrationReport', ts, payload: { status: 'fine' } }
  await take({ type: report.type, id: 'run000000000001', ts, payload: { padding } })
  await take({ type: report.type, id: 'run000000000002', ts, payload: report.payload })
  await take({ type: report.type, id: 'not the id of a run', ts, payload: report.payload })
  expect(events.map(({ id, payload }) => [id, (payload as { errors: string[] }).errors])).toEqual([
    ['run000000000001', ['The report of the tuner cannot be read: it is larger than 32 MiB']],
    ['run000000000002', [expect.stringContaining('cannot be read: ')]],
  ])
  expect(rejected).toEqual(['not the id of a run'])
  for (const { payload } of events) expect(v.is(calibrationReport, payload)).toBe(true)
})

test('receive() fails a job whose results are too large, because a retry would produce the same', async () => {
  const { handled, rejected, events, take } = open()
  const padding = 'x'.repeat(34 * 1024 * 1024)
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
