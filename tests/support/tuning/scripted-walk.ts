import { silentLog } from '../../../src/base/index.ts'
import { type PlanInput, planFull } from '../../../src/devices/tuning/plan/planner.ts'
import { type Routine, RoutineError } from '../../../src/devices/tuning/routine.ts'
import { RunCurrents } from '../../../src/devices/tuning/walk/run-currents.ts'
import type { NodeRunner } from '../../../src/devices/tuning/walk/run-node.ts'
import { type ChipValues, RunValues } from '../../../src/devices/tuning/walk/run-values.ts'
import { type WalkEvent, type WalkInput, walk } from '../../../src/devices/tuning/walk/walk.ts'
import { FakeClock } from '../fake-clock.ts'
import { lineChip, RecordingInstrument, type RecordingMover } from './scripted.ts'

const NO_SETTINGS = { axis: () => undefined, number: () => undefined }
/** A finding of one value. */
export const found = (path: string, value: number) => ({
  parameters: { [path]: { value, error: 0.1, unit: 'Hz' } },
})
/** @throws RoutineError with this code. */
export const no = (code: string): never => {
  throw new RoutineError(code, 'nothing seen')
}

/** What differs from a row of three qubits without couplers. */
interface Setup {
  chip?: ChipValues
  mover?: RecordingMover
  runner?: Partial<NodeRunner>
  input?: Partial<WalkInput>
  plan?: Partial<PlanInput>
}

/** A walk through scripted routines in the order of a full calibration. */
export function setUp(
  routines: readonly Routine[],
  { chip = lineChip(3), mover, runner = {}, input = {}, plan = {} }: Setup = {},
) {
  const values = new RunValues(chip)
  const instrument = new RecordingInstrument()
  const events: WalkEvent[] = []
  const signal = runner.signal ?? new AbortController().signal
  const used: NodeRunner = {
    ...{
      instrument,
      currents: new RunCurrents(mover, 'run', signal),
      values,
      clock: new FakeClock(),
      log: silentLog,
      signal,
    },
    ...{ maxAttempts: 3, timeoutS: 900, settingsOf: () => NO_SETTINGS },
    ...runner,
  }
  const planned = planFull({
    ...{
      routines,
      chip,
      qubits: chip.qubits,
      edges: chip.edges.map(({ name }) => name),
      isEnabled: () => true,
    },
    ...plan,
  })
  const run = () =>
    walk({
      ...{ plan: planned, chip, runner: used },
      group: (targets) => targets.map((target) => [target]),
      isPinned: () => false,
      onEvent: (event) => events.push(event),
      ...input,
    })
  return { run, values, instrument, events, used }
}

/** `routine target outcome` of each end, in order. */
export const ends = (events: readonly WalkEvent[]) =>
  events.flatMap((event) =>
    event.kind === 'end' ? [`${event.routine.name} ${event.target} ${event.outcome}`] : [],
  )
