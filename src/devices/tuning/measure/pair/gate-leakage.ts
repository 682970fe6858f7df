import type { Estimate } from '../../../fitting/fit.ts'
import type { Measurement, RoutineContext } from '../../routine.ts'
import { populations } from '../references.ts'
import { forQubit, orderedEnds } from './ends.ts'
import type { GatePulse } from './exchange.ts'
import { preparedPair } from './pair.ts'

/** A gate pulse, several times in a row. */
interface GateTrial {
  readonly pulse: GatePulse
  /** s. */
  readonly duration: number
  readonly gates: number
}

interface LeakageOptions {
  /** Shots per point. */
  readonly shots: number
  /** How often each point is measured. */
  readonly repeats: number
}

/**
 * The population that the gate leaves in 20 after it started from 11, for each trial. The lower qubit of such
 * a pair is in 0, so that its own readout suffices: what it loses beyond a wait of the same length. While in
 * 20 the pair decays in another way than in the wait, for which half of the gate is corrected when T1 is
 * known.
 */
export function* gateLeakage(
  context: RoutineContext,
  trials: readonly GateTrial[],
  { shots, repeats }: LeakageOptions,
): Measurement<Estimate[]> {
  const { low } = orderedEnds(context)
  const points = trials.flatMap(({ pulse, duration, gates }) => {
    const played = preparedPair(context, [1, 1])
    for (let gate = 0; gate < gates; gate++) played.cz(context.target, { ...pulse, duration, isRaw: true })
    const waited = preparedPair(context, [1, 1]).delay(low.name, gates * duration)
    return [played, waited].map((schedule) => schedule.measure(low.name).build())
  })
  const all = Array.from({ length: repeats }, () => points).flat()
  const found = yield* populations(forQubit(context, low), all, shots)
  return trials.map(({ duration, gates }, trial) => {
    const losses = Array.from({ length: repeats }, (_, repeat) => {
      const at = repeat * points.length + 2 * trial
      return 1 - (found[at] ?? Number.NaN) / (found[at + 1] ?? Number.NaN)
    })
    const value = losses.reduce((sum, loss) => sum + loss / repeats, 0)
    const squares = losses.reduce((sum, loss) => sum + (loss - value) ** 2, 0)
    const error = repeats > 1 ? Math.sqrt(squares / (repeats - 1) / repeats) : Number.NaN
    return { value: value - decayIn20(context, gates * duration), error }
  })
}

/** What decay adds to the loss of the lower qubit in a gate of this duration (s), of which half is in 20. */
function decayIn20(context: RoutineContext, duration: number): number {
  const { high, low } = orderedEnds(context)
  const [t1, other] = [high.optional('coherence.t1'), low.optional('coherence.t1')]
  if (t1 === undefined || other === undefined) return 0
  return (duration / 2) * (2 / t1 - 1 / other)
}
