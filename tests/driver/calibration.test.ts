import { expect, test } from 'bun:test'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { RunCalibration } from '../../src/protocol/index.ts'
import { outboxIds } from '../support/outbox-ids.ts'
import { until } from '../support/until.ts'
import { openBench } from './support/driver.ts'

const TUNER = `${join(import.meta.dir, '../support/devices/scripted-tuner.ts')}#scripted`
const RUN: RunCalibration = {
  type: 'RunCalibration',
  run_id: 'run000000000001',
  request_id: 'request00000001',
  epoch: 1,
  mode: 'full',
  target_qubits: [],
  limit_ms: 0,
}
const OTHER = { ...RUN, run_id: 'run000000000002' }

async function openTuner() {
  const bench = await openBench()
  const gate = join(bench.folder, 'gate')
  const driver = await bench.attach({ operation: 'calibrate', device: TUNER, option: [`gate=${gate}`] })
  return {
    bench,
    driver,
    gate: () => writeFileSync(gate, ''),
    [Symbol.asyncDispose]: bench[Symbol.asyncDispose],
  }
}

test('a tuner runs one calibration at a time and stores its report until it is acknowledged', async () => {
  await using tuner = await openTuner()
  const { bench } = tuner
  bench.server.acknowledge = false
  bench.server.push(RUN)
  expect((await bench.event('CalibrationStarted')).payload).toEqual({ run_id: RUN.run_id })
  await bench.event('CalibrationProgress', 2)
  bench.server.push(OTHER)
  bench.server.push({ ...OTHER, epoch: 0 })
  await bench.event('CalibrationRefused', 2)
  expect(bench.server.eventsOf('CalibrationRefused').map(({ payload }) => payload)).toEqual([
    { run_id: OTHER.run_id, reason: 'busy' },
    { run_id: OTHER.run_id, reason: 'old_epoch' },
  ])
  bench.server.push(RUN)
  await bench.event('CalibrationStarted', 2)
  tuner.gate()
  const report = await bench.event('CalibrationReport')
  expect(report).toMatchObject({ id: RUN.run_id, payload: { status: 'success', request_id: RUN.request_id } })
  expect(await outboxIds(bench.outbox)).toEqual([RUN.run_id])
  // A repeated dispatch resends the report from the outbox and does not run again.
  bench.server.push(RUN)
  expect((await bench.event('CalibrationReport', 2)).payload).toEqual(report.payload)
  bench.server.push({ type: 'EventAck', event: RUN.run_id, applied: true })
  await until('the report to be removed', async () => (await outboxIds(bench.outbox)).length === 0)
})

test('a reconnected tuner reports which run is in progress', async () => {
  await using tuner = await openTuner()
  const { bench } = tuner
  expect((await bench.event('DriverHello')).payload).not.toHaveProperty('run_id')
  bench.server.push(RUN)
  await bench.event('CalibrationStarted')
  bench.server.drop()
  expect((await bench.event('DriverHello', 2)).payload).toMatchObject({ running: null, run_id: RUN.run_id })
})

test('a run that is stopped ends with a failed report, and the next one runs', async () => {
  await using tuner = await openTuner()
  const { bench } = tuner
  bench.server.push(RUN)
  await bench.event('CalibrationProgress', 2)
  bench.server.push({ type: 'StopCalibration', run_id: OTHER.run_id })
  bench.server.push({ type: 'StopCalibration', run_id: RUN.run_id })
  expect((await bench.event('CalibrationReport')).payload).toMatchObject({
    run_id: RUN.run_id,
    status: 'failed',
  })
  tuner.gate()
  bench.server.push(OTHER)
  expect((await bench.event('CalibrationReport', 2)).payload).toMatchObject({
    run_id: OTHER.run_id,
    status: 'success',
  })
})

test('a run that the stop of the driver ends is reported at once', async () => {
  await using tuner = await openTuner()
  const { bench, driver } = tuner
  bench.server.push({ type: 'SetMaintenance', on: false, reason: '', knows_aborted: true })
  bench.server.push(RUN)
  await bench.event('CalibrationProgress', 2)
  await driver.stop()
  expect((await bench.event('CalibrationReport')).payload).toMatchObject({
    run_id: RUN.run_id,
    request_id: RUN.request_id,
    status: 'aborted',
    errors: ['the driver was stopped'],
  })
})

test('a run that the stop of the driver ends is reported as it was, however large it is', async () => {
  await using bench = await openBench()
  const bytes = 7_000_000
  const option = [`gate=${join(bench.folder, 'gate')}`, 'keeps=true', `trace_bytes=${bytes}`]
  const driver = await bench.attach({ operation: 'calibrate', device: TUNER, option })
  bench.server.push(RUN)
  await bench.event('CalibrationProgress', 2)
  await driver.stop()
  const { payload } = await bench.event('CalibrationReport')
  expect(payload).toMatchObject({ run_id: RUN.run_id, notes: ['targets '] })
  const [routine] = (payload as { routines?: { fit: { trace: string } }[] }).routines ?? []
  expect(routine?.fit.trace).toHaveLength(bytes / 2)
})

test('a run that times out ends with a failed report', async () => {
  await using tuner = await openTuner()
  const { bench } = tuner
  bench.server.push({ ...RUN, limit_ms: 100 })
  expect((await bench.event('CalibrationReport')).payload).toMatchObject({
    errors: ['calibration timed out after 0.1 s'],
  })
})

test('a tuner whose process exits reports this and continues', async () => {
  await using bench = await openBench()
  const crash = join(bench.folder, 'crash')
  writeFileSync(crash, '')
  await bench.attach({ operation: 'calibrate', device: TUNER, option: [`crash=${crash}`] })
  bench.server.push(RUN)
  expect((await bench.event('CalibrationReport')).payload).toMatchObject({
    run_id: RUN.run_id,
    request_id: RUN.request_id,
    status: 'failed',
    errors: ['worker exited (SIGABRT) while running the calibration'],
  })
})

const READY = { type: 'SetMaintenance', on: false, reason: '' }

async function openChecking(option: string[] = []) {
  const bench = await openBench()
  const gate = join(bench.folder, 'gate')
  const driver = await bench.attach({
    operation: 'calibrate',
    device: TUNER,
    option: [`gate=${gate}`, 'own=true', ...option],
  })
  return {
    ...{ bench, driver, gate: () => writeFileSync(gate, '') },
    [Symbol.asyncDispose]: bench[Symbol.asyncDispose],
  }
}

test('a check of the tuner itself waits for the server, is announced, and named by each hello', async () => {
  await using tuner = await openChecking()
  const { bench } = tuner
  expect((await bench.event('DriverHello')).payload).not.toHaveProperty('own_run')
  expect(bench.server.eventsOf('CalibrationStarted')).toEqual([])
  bench.server.push({ ...READY, on: true, reason: 'helium' })
  bench.server.push(READY)
  const { payload } = await bench.event('CalibrationStarted')
  expect(payload).toMatchObject({ request_id: null, mode: 'fidelity_check' })
  const { run_id } = payload as { run_id: string }
  bench.server.drop()
  expect((await bench.event('DriverHello', 2)).payload).toMatchObject({ own_run: run_id, running: null })
  await until('attach', bench.server.attached)
  // A server of the previous release does not know the run; a request waits for its end.
  bench.server.push({ type: 'StopCalibration', run_id })
  bench.server.push({ ...RUN, epoch: 2 })
  await bench.event('CalibrationStarted', 2)
  tuner.gate()
  expect((await bench.event('CalibrationReport')).payload).toMatchObject({ run_id, status: 'success' })
  expect((await bench.event('CalibrationReport', 2)).payload).toMatchObject({ run_id: RUN.run_id })
})

test('a check of the tuner itself ends with a report when its process crashes or the driver stops', async () => {
  await using tuner = await openChecking()
  const { bench, driver } = tuner
  bench.server.push(READY)
  await bench.event('CalibrationStarted')
  const started = await until('the process of the tuner to say its id', () =>
    bench.lines.find(({ message }) => message === 'scripted calibration'),
  )
  process.kill(Number(started['pid']), 'SIGKILL')
  expect((await bench.event('CalibrationReport')).payload).toMatchObject({
    ...{ request_id: null, status: 'failed' },
    errors: ['worker exited (SIGKILL) while running the calibration'],
  })
  // The restarted device may check again.
  await bench.event('CalibrationStarted', 2)
  await driver.stop()
  expect((await bench.event('CalibrationReport', 2)).payload).toMatchObject({ status: 'failed' })
})

test('a process driver runs no calibration, and a tuner no job', async () => {
  await using bench = await openBench()
  await bench.attach()
  bench.server.push(RUN)
  await until('a log line', () => bench.lines.some(({ message }) => message === 'invalid command'))
  expect(bench.server.eventsOf('CalibrationStarted')).toEqual([])
})
