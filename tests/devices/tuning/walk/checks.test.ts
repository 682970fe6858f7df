import { expect, test } from 'bun:test'
import { silentLog } from '../../../../src/base/index.ts'
import { acquire, RoutineError } from '../../../../src/devices/tuning/routine.ts'
import { runChecks } from '../../../../src/devices/tuning/walk/checks.ts'
import { RunCurrents } from '../../../../src/devices/tuning/walk/run-currents.ts'
import { RunValues } from '../../../../src/devices/tuning/walk/run-values.ts'
import { FakeClock } from '../../../support/fake-clock.ts'
import { lineChip, RecordingInstrument, scriptedRoutine, windowOf } from '../../../support/tuning/scripted.ts'

test('runChecks() takes a check that throws as one that could not decide', async () => {
  const routine = scriptedRoutine({
    ...{ name: 'find', writes: ['a'] },
    *check({ target }) {
      yield* acquire({ kind: 'average', shots: 1, reset_ns: 0, points: [windowOf(target)] })
      if (target === 'q0') throw new RoutineError('no_data', 'zeros')
      if (target === 'q1') throw new TypeError('a defect')
      return { state: 'out', margin: 3 }
    },
  })
  const values = new RunValues(lineChip(3))
  const results = await runChecks(
    values.chip.qubits.map((target) => ({ routine, target })),
    {
      ...{
        instrument: new RecordingInstrument(),
        currents: new RunCurrents(undefined, 'run', new AbortController().signal),
        values,
      },
      ...{ clock: new FakeClock(), log: silentLog, signal: new AbortController().signal },
      ...{
        maxAttempts: 3,
        timeoutS: 900,
        settingsOf: () => ({ axis: () => undefined, number: () => undefined }),
      },
    },
    () => undefined,
  )
  expect([...results]).toEqual([
    ['find q0', { state: 'unknown', reason: 'no_data: zeros' }],
    ['find q1', { state: 'unknown', reason: 'a defect' }],
    ['find q2', { state: 'out', margin: 3 }],
  ])
})
