import type { RoutineContext } from '../../routine.ts'
import { resetNs } from '../references.ts'
import type { JointReadout } from './joint-readout.ts'

/** What is left of state 1 of each qubit after the wait between shots. */
type Left = readonly [parent: number, child: number]

/** Corrections of the survival for this share of state 1: they converge by that factor each. */
const ROUNDS = 4

/**
 * What the waits of an edge leave of state 1 of its qubits, by their T1; nothing where that is unknown, or
 * where shots begin with a reading.
 */
export function leftOfPair(context: RoutineContext, { isHeralded }: { readonly isHeralded: boolean }): Left {
  if (isHeralded) return [0, 0]
  const wait = resetNs(context) * 1e-9
  const leftOf = (t1: number | undefined) => (t1 === undefined ? 0 : Math.exp(-wait / t1))
  return [leftOf(context.parent.optional('coherence.t1')), leftOf(context.child.optional('coherence.t1'))]
}

/** How random sequences of a pair are read. */
export interface SurvivalReading {
  /** How often a mixed state is read as 00. */
  readonly base: number
  /** The survival that the same sequence has when each shot starts in 00, instead of with this left. */
  withoutRemainder(survival: number, left: Left): number
}

/**
 * How often the states of a pair are read as 00 after random sequences, without what each shot finds left of
 * the one before: after a wait of four T1 that makes the error of a gate look 4 % larger, half of it by the
 * decay and half by the readout of state 1, which is prepared from what is left.
 *
 * A sequence that keeps the share f leaves Z of each qubit with z = f (1 − e + ez), with e of state 1 left,
 * and ZZ of both with the product of what both start with.
 * @param left of the shots that gave the assignments
 */
export function survivalReading(
  { assignments }: Pick<JointReadout, 'assignments'>,
  left: Left,
): SurvivalReading {
  const readingOf = (qubit: 0 | 1) => {
    const [[zero = Number.NaN] = [], [one = Number.NaN] = []] = assignments[qubit] ?? []
    // A share e / (1 + e) started in 1, which the pulse to 1 brings to 0.
    const alone = (1 + left[qubit]) * one - left[qubit] * zero
    return { mean: (zero + alone) / 2, contrast: (zero - alone) / 2 }
  }
  const [parent, child] = [readingOf(0), readingOf(1)]
  const base = parent.mean * child.mean
  const survivalOf = (f: number, [a, b]: Left) => {
    const [zA, zB] = [(f * (1 - a)) / (1 - f * a), (f * (1 - b)) / (1 - f * b)]
    const joint = (1 - a) * (1 - b) + (1 - a) * b * zB + a * (1 - b) * zA
    const zz = (f * joint) / (1 - f * a * b)
    return (
      base +
      parent.contrast * child.mean * zA +
      parent.mean * child.contrast * zB +
      parent.contrast * child.contrast * zz
    )
  }
  const amplitude = survivalOf(1, [0, 0]) - base
  return {
    base,
    withoutRemainder(survival, remaining) {
      let f = (survival - base) / amplitude
      for (let round = 0; round < ROUNDS; round++) f += (survival - survivalOf(f, remaining)) / amplitude
      return base + amplitude * f
    },
  }
}
