import { expect, test } from 'bun:test'
import * as v from 'valibot'
import { writeEvent, writeFailure } from '../../../src/driver/messages/write-event.ts'
import { EVENTS, eventEnvelope } from '../../../src/protocol/index.ts'
import { FakeClock } from '../../support/fake-clock.ts'

const clock = new FakeClock(Date.UTC(2026, 0, 31, 9, 5))

test('writeEvent() encodes an envelope', () => {
  expect(v.parse(eventEnvelope, JSON.parse(writeEvent(clock, 'CryostatReading', 'id1', { a: 1 })))).toEqual({
    type: 'CryostatReading',
    id: 'id1',
    ts: '2026-01-31T09:05:00.000Z',
    payload: { a: 1 },
  })
})

test('writeFailure() encodes a valid result, in whole milliseconds', () => {
  const attempt = { job: 'job000000000001', attempt: 2, epoch: 7 }
  const error = { class: 'device' as const, message: 'no helium' }
  const event = v.parse(eventEnvelope, JSON.parse(writeFailure(clock, attempt, error, 12.6)))
  expect(event.id).toBe('job000000000001.2')
  const declared = EVENTS.find((each) => each.type === event.type)
  expect(declared && v.parse(declared.payload, event.payload)).toEqual({
    status: 'failed',
    ...attempt,
    execution_ms: 13,
    error,
  })
})
