import { type ElementValues, ScheduleBuilder } from '../../pulse/builder.ts'
import type { Schedule } from '../../pulse/schedule.ts'
import type { IdleWindow } from './idle-windows.ts'

/**
 * A sequence of half turns that a qubit makes while it waits, by the names of qiskit-ibm-runtime. Both return
 * it to its state: `XX` cancels what turns it slowly about z (Hahn, Phys. Rev. 80, 580, 1950; Carr and
 * Purcell, Phys. Rev. 94, 630, 1954), `XY4` also errors of the pulses themselves (Maudsley, J. Magn. Reson.
 * 69, 488, 1986).
 */
export type DecouplingSequence = 'XX' | 'XY4'

/** Axes of the half turns in the plane of x and y, rad. */
const AXES: Readonly<Record<DecouplingSequence, readonly number[]>> = {
  XX: [0, 0],
  XY4: [0, Math.PI / 2, 0, Math.PI / 2],
}

/** A wait of fewer times the length of the pulses has none: they would cost more than they win. */
const MIN_WAIT_IN_PULSES = 2

/** What was inserted. */
export interface Decoupling {
  sequence: DecouplingSequence
  /** Waits that have a sequence. */
  windows: number
  pulses: number
}

/**
 * Adds a sequence to each wait that is long enough, its pulses evenly spaced and half a space from either
 * end, which makes the phase before and after each of them cancel.
 * @throws UnsetValueError for a value that the device file does not have.
 */
export function decouple(
  schedule: Schedule,
  windows: readonly IdleWindow[],
  sequence: DecouplingSequence,
  values: ElementValues,
): { schedule: Schedule; decoupling: Decoupling } {
  const axes = AXES[sequence]
  const sequences = windows.flatMap((window) => sequenceIn(window, axes, values))
  const pulses = [...schedule.pulses, ...sequences.flatMap((each) => each.pulses)]
  return {
    // A sequencer plays them in the order of their starts; those of one start keep their order.
    schedule: { ...schedule, pulses: pulses.sort((one, other) => one.at - other.at) },
    decoupling: { sequence, windows: sequences.length, pulses: sequences.length * axes.length },
  }
}

/** The pulses of one wait; none for one that is too short. */
function sequenceIn(
  { qubit, from, to }: IdleWindow,
  axes: readonly number[],
  values: ElementValues,
): { pulses: Schedule['pulses'] }[] {
  const pulse = new ScheduleBuilder(values).rotate(qubit, Math.PI).freeAt(qubit)
  const wait = to - from - axes.length * pulse
  if (to - from < MIN_WAIT_IN_PULSES * axes.length * pulse) return []
  const builder = new ScheduleBuilder(values)
  for (const [at, axis] of axes.entries()) {
    const start = from + Math.round((wait * (at + 0.5)) / axes.length) + at * pulse
    builder.delay(qubit, (start - builder.freeAt(qubit)) * 1e-9).rotate(qubit, Math.PI, axis)
  }
  return [builder.build()]
}
