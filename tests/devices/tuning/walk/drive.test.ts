import { expect, test } from 'bun:test'
import { PAUSE } from '../../../../src/devices/fitting/steps.ts'
import type { Program } from '../../../../src/devices/pulse/schedule.ts'
import { acquire, type Measurement } from '../../../../src/devices/tuning/routine.ts'
import { drive } from '../../../../src/devices/tuning/walk/drive.ts'
import { RecordingInstrument, windowOf } from '../../../support/tuning/scripted.ts'

/** Two acquisitions, with an analysis of this many pauses between them. */
function* measuring(qubit: string, pauses: number): Measurement<void> {
  const program = { kind: 'average' as const, shots: 1, reset_ns: 0, points: [windowOf(qubit)] }
  yield* acquire(program)
  for (let pause = 0; pause < pauses; pause++) yield PAUSE
  yield* acquire(program)
}

test('drive() runs programs together, however much longer one analysis takes', async () => {
  const instrument = new RecordingInstrument()
  const { signal } = new AbortController()
  const never = () => Promise.reject(new Error('not asked for'))
  const run = (program: Program) => instrument.run(program, signal)
  await drive(
    [measuring('q0', 1), measuring('q1', 9)],
    { run, current: never, ramp: never, wait: never },
    signal,
  )
  const read = instrument.programs.map(({ points }) => points[0]?.acquisitions.map(({ qubit }) => qubit))
  expect(read).toEqual([
    ['q0', 'q1'],
    ['q0', 'q1'],
  ])
})
