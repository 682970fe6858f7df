import type { Estimate } from '../../../fitting/fit.ts'
import { type ElementReader, type Measurement, type RoutineContext, RoutineError } from '../../routine.ts'
import { onGrid } from '../accept.ts'
import { populations } from '../references.ts'
import { forQubit, orderedEnds } from './ends.ts'
import type { GatePulse } from './exchange.ts'
import { preparedPair } from './pair.ts'

/** Shots for the decay of a qubit, which finds its rate to a few percent. */
const DECAY_SHOTS = 10_000
/** Wait in which it decays, in units of a known T1; and the T1 of a qubit where none is known, s. */
const WAIT_IN_T1 = 1 / 3
const USUAL_T1_S = 60e-6

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
 * The population that a gate leaves in 20 after it started from 11. The lower qubit of such a pair is in 0,
 * so that its own readout suffices: what it loses beyond a wait of the same length, less what decays from 20.
 * The error is that of the loss; NaN without repetition.
 */
export function* gateLeakage(
  context: RoutineContext,
  trial: GateTrial,
  options: LeakageOptions,
): Measurement<Estimate> {
  const { duration, gates } = trial
  const [lost = NOTHING] = yield* gateLosses(context, [trial], options)
  const decayed = duration * (yield* decayIn20(context))
  return { value: lost.value / gates - decayed, error: lost.error / gates }
}

const NOTHING: Estimate = { value: Number.NaN, error: Number.NaN }

/** What the lower qubit loses in the gates of each trial, beyond a wait of the same length. */
export function* gateLosses(
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
  return trials.map((_, trial) => {
    const losses = Array.from({ length: repeats }, (__, repeat) => {
      const at = repeat * points.length + 2 * trial
      return 1 - (found[at] ?? Number.NaN) / (found[at + 1] ?? Number.NaN)
    })
    const value = losses.reduce((sum, loss) => sum + loss / repeats, 0)
    const squares = losses.reduce((sum, loss) => sum + (loss - value) ** 2, 0)
    const error = repeats > 1 ? Math.sqrt(squares / (repeats - 1) / repeats) : Number.NaN
    return { value, error }
  })
}

/**
 * What decay adds to the loss of the lower qubit, per second of a gate. Half of the gate is in 20, which
 * decays twice as fast as 1 of the upper qubit, and in which the lower one has nothing to lose.
 */
function* decayIn20(context: RoutineContext): Measurement<number> {
  const { high, low } = orderedEnds(context)
  const ofHigh = yield* decayRate(context, high)
  const ofLow = yield* decayRate(context, low)
  return (2 * ofHigh - ofLow) / 2
}

/** The rate at which state 1 of a qubit decays now, 1/s: a defect changes it within the hour. */
function* decayRate(context: RoutineContext, qubit: ElementReader): Measurement<number> {
  const { name } = qubit
  const wait = onGrid((qubit.optional('coherence.t1') ?? USUAL_T1_S) * WAIT_IN_T1)
  const waited = context.schedule().rotate(name, Math.PI).delay(name, wait).measure(name).build()
  const [left = Number.NaN] = yield* populations(forQubit(context, qubit), [waited], DECAY_SHOTS)
  if (left > 0) return -Math.log(left) / wait
  throw new RoutineError('no_signal', `Nothing is left of state 1 of ${name} after ${wait * 1e6} µs`)
}
