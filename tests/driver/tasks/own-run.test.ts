import { expect, test } from 'bun:test'
import { OwnRun } from '../../../src/driver/tasks/own-run.ts'
import { FakeClock } from '../../support/fake-clock.ts'
import { recordedLog } from '../support/logs.ts'

const ID = 'run000000000001'

function open() {
  const clock = new FakeClock()
  const sent: object[] = []
  const reports: { run: string; payload: object }[] = []
  const own = new OwnRun({
    clock,
    log: recordedLog().log,
    send: (type, payload) => sent.push({ type, ...payload }),
    report: (run, body) => reports.push({ run, payload: JSON.parse(body).payload }),
  })
  return { own, clock, sent, reports }
}

test('a run is announced once and named in every hello until its report', () => {
  const { own, sent, reports } = open()
  expect(own.hello).toEqual({})
  own.begin(ID, 'fidelity_check', false)
  expect(sent).toEqual([{ type: 'CalibrationStarted', run_id: ID, request_id: null, mode: 'fidelity_check' }])
  own.reported('run000000000002')
  expect(own.hello).toEqual({ own_run: ID })
  own.reported(ID)
  expect(own.hello).toEqual({})
  own.hostEnded('SIGABRT')
  expect(reports).toEqual([])
})

test('a run whose process ends is reported as failed', async () => {
  const { own, clock, reports } = open()
  own.begin(ID, 'partial', false)
  await clock.advance(3_000)
  own.hostEnded('SIGABRT')
  own.hostEnded('SIGABRT')
  expect(own.hello).toEqual({})
  expect(reports).toHaveLength(1)
  expect(reports[0]).toMatchObject({
    run: ID,
    payload: {
      ...{ run_id: ID, request_id: null, mode: 'partial', status: 'failed' },
      ...{ started_at: '2026-01-31T09:00:00.000Z', ended_at: '2026-01-31T09:00:03.000Z' },
      errors: ['worker exited (SIGABRT) while running the calibration'],
    },
  })
})
