import type { Estimate } from '../../../fitting/fit.ts'
import { fitAnticrossing } from '../../../fitting/models/anticrossing.ts'
import { fitLorentzian } from '../../../fitting/models/lorentzian.ts'
import { accepted, checkOf } from '../../measure/accept.ts'
import { DRIVE_PRIORS_OF_ENDS, DRIVEN_ENDS, forQubit } from '../../measure/pair/ends.ts'
import { LINE_WAITS, populations } from '../../measure/references.ts'
import { TRANSITION_01 } from '../../measure/transition.ts'
import {
  currentOf,
  defineRoutine,
  type ElementReader,
  type Measurement,
  type RoutineContext,
  RoutineError,
  rampTo,
} from '../../routine.ts'
import { ramseyCorrection } from '../qubit/ramsey_correction.ts'

const SHOTS = 500
/** Largest swept current by attempt, A, and the points from end to end. */
const REACH = [
  { most: 2e-3, points: 81 },
  { most: 3.1e-3, points: 125 },
] as const
/** Half width of the sweep around the present frequency of each qubit, Hz, and its points. */
const HALF_HZ = 20e6
const FREQUENCIES = 41
/** Length of the pulse that turns a qubit by half, s: its line is as broad as two steps of the sweep. */
const TONE_S = 400e-9
/** A line is there when this part of the population moves. */
const MIN_HEIGHT = 0.25
/** Part of the way from a crossing to the sweet spot at which a coupler is parked. */
const PARK_FRACTION = 0.6
/** Distance from the parking current at which the check is out, A. */
const MAX_DISTANCE = 30e-6
/** The check bears this many times the deviation of a frequency that its own routine bears. */
const FREQUENCY_LIMITS = 3

/**
 * Finds where to park a coupler. The frequencies of both qubits are followed over its current; they avoid
 * that of the coupler where it crosses them. The coupler is parked between its sweet spot and the crossing
 * next to it, on the side nearer to the present current: `park_fraction` of the way from the crossing.
 */
export const couplerAnticrossing = defineRoutine({
  name: 'coupler_anticrossing',
  dependsOn: ['ramsey_correction'],
  reads: DRIVEN_ENDS,
  priors: [...DRIVE_PRIORS_OF_ENDS, 'bias.parking_current', 'end:coherence.t2_star'],
  writes: ['bias.parking_current'],
  needs: ['bias'],
  suspect: 'coupler',
  size: {
    points: 81 * 2 * (FREQUENCIES + 2),
    shots: SHOTS,
    wait: LINE_WAITS.ofDrive,
    firstPart: 1 / 8,
  },
  *measure(context) {
    const { target, parent, child } = context
    const held = yield* currentOf(target)
    const currents = sweptCurrents(context, held)
    const found: [number[], number[]] = [[], []]
    for (const amps of currents) {
      yield* rampTo(target, amps)
      found[0].push(yield* frequencyOf(context, parent))
      found[1].push(yield* frequencyOf(context, child))
    }
    const { values, fit, quality } = accepted(yield* fitAnticrossing(currents, ...found))
    const fraction = Number(context.setting('park_fraction') ?? PARK_FRACTION)
    const parking = nearestParking(values, held.amps, fraction)
    return {
      parameters: { 'bias.parking_current': { ...parking, unit: 'A', checkLimit: MAX_DISTANCE } },
      trace: fit,
      quality: {
        ...quality,
        sweet_spot: values.sweet_spot.value,
        coupler_maximum: values.coupler_maximum.value,
        coupling_parent: values.couplings[0].value,
        coupling_child: values.couplings[1].value,
        ...Object.fromEntries(
          values.crossings.map(({ current }, at) => [`crossing_${at + 1}`, current.value]),
        ),
      },
    }
  },
  *check(context) {
    const stored = context.self.number('bias.parking_current')
    const { amps } = yield* currentOf(context.target)
    const margins = []
    for (const end of [context.parent, context.child]) {
      const outcome = yield* ramseyCorrection.check?.(forQubit(context, end)) ?? notMeasured()
      margins.push(outcome.margin / FREQUENCY_LIMITS)
    }
    // A coupler that has moved shifts both qubits.
    return checkOf(Math.max(Math.abs(amps - stored) / MAX_DISTANCE, Math.min(...margins)), 1)
  },
})

function notMeasured(): never {
  throw new RoutineError('not_set', 'No check of a frequency')
}

/** The currents to sweep, within what the source can give, from the end nearer to the present one. */
function sweptCurrents(context: RoutineContext, { amps, limit }: { amps: number; limit: number }) {
  const { most, points } = REACH[Math.min(context.attempt.number, REACH.length) - 1] ?? REACH[0]
  const reach = Math.min(most, limit)
  const swept = context.axis('current', { start: -reach, stop: reach, points }).values
  const within = swept.filter((each) => Math.abs(each) <= limit)
  const [first = 0, last = 0] = [within[0], within.at(-1)]
  return Math.abs(first - amps) <= Math.abs(last - amps) ? within : within.reverse()
}

/** The frequency of a qubit at the present current, Hz; NaN where it is not inside the sweep. */
function* frequencyOf(context: RoutineContext, qubit: ElementReader): Measurement<number> {
  const f01 = qubit.number('clock_freqs.f01')
  const range = { start: f01 - HALF_HZ, stop: f01 + HALF_HZ, points: FREQUENCIES }
  const frequencies = context.axis('frequency', range, qubit.name).values
  // As much area as the Gaussian of half a turn: a weak pulse excites a narrow line.
  const sigma = qubit.number('rxy.duration') / 8
  const amplitude = (qubit.number('rxy.amp180') * sigma * Math.sqrt(2 * Math.PI)) / TONE_S
  const points = Array.from(frequencies, (frequency) =>
    context
      .schedule()
      .tone(qubit.name, { frequency, amplitude, duration: TONE_S })
      .measure(qubit.name)
      .build(),
  )
  const wait = { part: LINE_WAITS.ofDrive }
  const found = yield* populations(forQubit(context, qubit), points, SHOTS, TRANSITION_01, wait)
  const fit = yield* fitLorentzian(frequencies, found)
  return fit.ok && fit.values.height.value > MIN_HEIGHT ? fit.values.center.value : Number.NaN
}

interface Coupler {
  readonly sweet_spot: Estimate
  readonly crossings: readonly { readonly current: Estimate }[]
}

/** Between the sweet spot and the crossing next to it on either side, the place nearer to a held current. */
function nearestParking({ sweet_spot: spot, crossings }: Coupler, held: number, fraction: number): Estimate {
  const choices = [-1, 1].flatMap((side) => {
    const [next] = crossings
      .map(({ current }) => current)
      .filter(({ value }) => (value - spot.value) * side > 0)
      .sort((one, other) => (one.value - other.value) * side)
    if (!next) return []
    const value = next.value + fraction * (spot.value - next.value)
    return [{ value, error: Math.hypot((1 - fraction) * next.error, fraction * spot.error) }]
  })
  const [nearest] = choices.sort((one, other) => Math.abs(one.value - held) - Math.abs(other.value - held))
  if (nearest) return nearest
  throw new RoutineError('edge_of_sweep', 'The sweet spot of the coupler has no crossing beside it')
}
