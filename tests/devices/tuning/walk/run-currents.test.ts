import { expect, test } from 'bun:test'
import { RunCurrents } from '../../../../src/devices/tuning/walk/run-currents.ts'
import { RecordingMover } from '../../../support/tuning/scripted.ts'

test('holds a coupler that was parked before while it parks another, and returns it there', async () => {
  const mover = new RecordingMover(['q0_q1', 'q1_q2'])
  const currents = new RunCurrents(mover, 'run', new AbortController().signal)
  await currents.park('q0_q1', 1e-3)
  await currents.park('q1_q2', 2e-3)
  await currents.ramp('q0_q1', 3e-3)
  await currents.restore()
  expect(mover.log.slice(1)).toEqual([
    ...['q0_q1 0.001', 'q1_q2 0.002', 'q0_q1 0.003'],
    ...['q0_q1 0.001', 'q1_q2 0.002'],
  ])
  expect(await currents.settle((edge) => edge === 'q1_q2')).toEqual([
    'q0_q1: coupler returned to its former current, the new one is not kept',
  ])
  expect(mover.log.slice(-2)).toEqual(['q1_q2 kept', 'q0_q1 back'])
})
