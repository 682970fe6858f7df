import { expect, test } from 'bun:test'
import { readCommandHead } from '../../../src/driver/messages/command-head.ts'
import { runJobOf } from '../support/jobs.ts'

test('readCommandHead() reads the head of a job whatever its payload', () => {
  const head = { kind: 'job', type: 'RunJob', job: 'job000000000001', attempt: 1, epoch: 1, limit_ms: 0 }
  expect(readCommandHead(JSON.stringify(runJobOf('ok')))).toEqual(head as never)
  expect(readCommandHead(JSON.stringify({ ...runJobOf('ok'), payload: { new: 'shape' } }))).toEqual(
    head as never,
  )
})

test('readCommandHead() reads the head of a calibration whatever its mode, and the run to stop', () => {
  const run_id = 'run000000000001'
  const head = {
    type: 'RunCalibration',
    run_id,
    request_id: 'request00000001',
    epoch: 4,
    limit_ms: 0,
  }
  expect(readCommandHead(JSON.stringify({ ...head, mode: 'new', target_qubits: 7 }))).toEqual({
    kind: 'calibration',
    ...head,
  } as never)
  expect(readCommandHead(JSON.stringify({ type: 'StopCalibration', run_id }))).toEqual({
    kind: 'stop',
    id: run_id,
  })
})

test('readCommandHead() reads acknowledgements and leaves all other commands to the device', () => {
  expect(readCommandHead('{"type":"EventAck","event":"a.1","applied":false}')).toEqual({
    kind: 'ack',
    type: 'EventAck',
    event: 'a.1',
    applied: false,
  })
  const stop = { type: 'StopJob', job: 'job000000000001', attempt: 2 } as const
  expect(readCommandHead(JSON.stringify(stop))).toEqual({ kind: 'stop', id: 'job000000000001.2' })
  expect(readCommandHead('{"type":"SetMaintenance","on":true,"reason":"x"}')).toEqual({
    kind: 'other',
    type: 'SetMaintenance',
  })
  expect(readCommandHead('{"type":"FromTheFuture"}')).toEqual({ kind: 'other', type: 'FromTheFuture' })
})

test.each([
  '',
  'null',
  '[]',
  '{}',
  '{"type":7}',
  '{"type":"RunJob"}',
  '{"type":"RunJob","job":"../x","attempt":1,"epoch":1,"limit_ms":0}',
  '{"type":"RunJob","job":"job000000000001","attempt":"1","epoch":1,"limit_ms":0}',
  '{"type":"EventAck"}',
  '{"type":"StopJob","job":"job000000000001"}',
  '{"type":"RunCalibration"}',
  '{"type":"StopCalibration","run_id":"../x"}',
  '{"type":"RunJob"',
])('readCommandHead() refuses %s', (text) => {
  expect(readCommandHead(text)).toBeUndefined()
})
