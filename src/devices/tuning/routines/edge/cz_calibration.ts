import type { Estimate, FitTrace, Quality } from '../../../fitting/fit.ts'
import { phaseDifference } from '../../../fitting/models/cosine.ts'
import { fitFullReturn, fitPhaseCrossing } from '../../../fitting/models/cz.ts'
import { accepted, checkOf, onGrid, rounded } from '../../measure/accept.ts'
import { ROUGH_T2_STAR } from '../../measure/inputs.ts'
import { orderedEnds } from '../../measure/pair/ends.ts'
import type { GatePulse } from '../../measure/pair/exchange.ts'
import {
  degreesOf,
  fringePhases,
  fringesOf,
  type PhaseProbe,
  quickPhases,
} from '../../measure/pair/fringes.ts'
import { type GateDrive, gateDrive } from '../../measure/pair/gate-drive.ts'
import { gateLeakage, gateLosses } from '../../measure/pair/gate-leakage.ts'
import { PAIR_GATE, PAIR_PRIORS } from '../../measure/pair/pair.ts'
import { defineRoutine, type Measurement, type RoutineContext, RoutineError } from '../../routine.ts'

const SHOTS = 1_000
/** Along the line: each phase is known to 1.5 degrees then, where all together cross π to half of one. */
const LINE_SHOTS = SHOTS / 4
const PHASES = 24
/** Points at which the gate is tried: some durations, the chosen point, and the others along the line. */
const WORKING_POINTS = 19
const DURATIONS = 9
const MIN_LINE = 5
/** Distance from resonance at the ends of the line, in units of the rate of a full return. */
const REACH = 0.12
/** Steps of the duration, ns and s. */
const STEP_NS = 1
const STEP_S = 1e-9 * STEP_NS
/** Gates in a row, which show a wrong duration by their square. */
const GATES = 5
/**
 * How often the leakage at the chosen point is measured, and of how many gates in a row: they leave so many
 * times as much beside the same noise, and what half a step of the duration adds stays below 0.05 %. The
 * check plays as many: one gate alone leaves 0.9 % when its duration is off by 3 %.
 */
const REPEATS = 80
const LEAKING_GATES = 3
/** The line, both other fringes, the durations with twice the shots, and the leakage beside the decays. */
const SIZE =
  2 * PHASES * ((WORKING_POINTS - DURATIONS - 1) / 4 + 2) + 2 * 2 * DURATIONS + 2 * (REPEATS + 1) + 2 * 30
/** Longest wait in which the interaction at rest turns the phase, s, and the longest in units of T2*. */
const [REST_S, REST_IN_T2_STAR] = [2e-6, 0.5]
/** Where the check is out. */
const MAX_PHASE_ERROR_DEG = 5
const MAX_LEAKAGE = 0.02
/** Loss of one gate that is far from a full return: 0.75 at 4/3 of the rate, where three in a row return. */
const FAR = 0.25

/**
 * Tunes the gate to a conditional phase of π without leakage. A gate returns fully after 1/Ω of the chevron,
 * wherever on this line it is: its distance from resonance δ decides the phase, π(1 − δ/Ω), and the duration
 * the leakage. The phase is that of the lower qubit with the upper one in 1 less that with it in 0, without
 * what the interaction at rest adds in the pulses around the gate. The report has this interaction without
 * its sign, which depends on the handedness of the drive lines.
 */
export const czCalibration = defineRoutine({
  name: 'cz_calibration',
  dependsOn: ['cz_chevron'],
  reads: PAIR_GATE,
  priors: [...PAIR_PRIORS, 'end:clock_freqs.f12', `end:${ROUGH_T2_STAR}`, 'end:coherence.t2_star'],
  writes: ['cz.square_duration'],
  optionalWrites: ['clock_freqs.cz', 'cz.square_amp'],
  needs: ['cz'],
  size: { points: SIZE, shots: SHOTS, heralds: 2 },
  *measure(context) {
    const drive = gateDrive(context)
    const stored = context.self.number('cz.square_duration')
    const rest = yield* restPhase(context)
    const line = yield* phaseAlongLine(context, drive, stored, rest)
    const point = { value: line.value.value, duration: fullReturn(stored, line.detuning) }
    const returned = yield* leastLeakage(context, drive, point)
    const found = rounded(returned, STEP_NS)
    const { value: duration } = found
    const chosen = { pulse: drive.pulseAt(point.value), duration }
    const [phase = NOT_MEASURED] = yield* gatePhases(context, [chosen], rest)
    const options = { shots: SHOTS, repeats: REPEATS }
    const left = yield* gateLeakage(context, { ...chosen, gates: LEAKING_GATES }, options)
    const leakage = Math.max(0, left.value)
    const [alone = NOT_MEASURED] = yield* gateLosses(context, [{ ...chosen, gates: 1 }], ONCE)
    const lost = Math.max(leakage, alone.value)
    if (lost > FAR) {
      const message = `A gate of ${Math.round(duration / STEP_S)} ns leaves ${(100 * lost).toFixed(1)} % of 11 in 20, which is far from a full return; calibrate cz_chevron first`
      throw new RoutineError('unresolved', message, { trace: line.trace, quality: { leakage: lost } })
    }
    const perDegree = 1 / (180 * duration)
    return {
      parameters: {
        'cz.square_duration': {
          ...found,
          unit: 's',
          checkLimit: (duration / Math.PI) * Math.sqrt(MAX_LEAKAGE / LEAKING_GATES),
        },
        [drive.path]: {
          value: point.value,
          error: line.value.error,
          unit: drive.unit,
          checkLimit: (MAX_PHASE_ERROR_DEG * perDegree) / Math.abs(drive.slope),
        },
      },
      trace: line.trace,
      // Only 11 of the four states leaves.
      leakage: leakage / 4,
      leakageError: left.error / 4,
      quality: {
        ...line.quality,
        phase: degreesFrom0(phase.value),
        phase_error: (phase.error * 180) / Math.PI,
        leakage,
        leakage_error: left.error,
        static_zz: Math.abs(rest.rate.value) / TURN,
        static_zz_error: rest.rate.error / TURN,
      },
    }
  },
  *check(context) {
    const { low, high } = orderedEnds(context)
    const between: PhaseProbe['between'] = (schedule) => schedule.cz(context.target, { isRaw: true })
    const probes = ([0, 1] as const).map((state) => ({ qubit: low, other: high, state, between }))
    const [zero = Number.NaN, one = Number.NaN] = yield* quickPhases(context, probes, 2 * SHOTS)
    const error = degreesOf(one - zero - Math.PI)
    const duration = context.self.number('cz.square_duration')
    const trial = { pulse: {}, duration, gates: LEAKING_GATES }
    const leakage = yield* gateLeakage(context, trial, { shots: SHOTS, repeats: 5 })
    const [alone = NOT_MEASURED] = yield* gateLosses(context, [{ ...trial, gates: 1 }], ONCE)
    const margins = [Math.abs(error) / MAX_PHASE_ERROR_DEG, leakage.value / MAX_LEAKAGE, alone.value / FAR]
    return checkOf(Math.max(0, ...margins), 1)
  },
})

const TURN = 2 * Math.PI
const NOT_MEASURED: Estimate = { value: Number.NaN, error: Number.NaN }
const ONCE = { shots: SHOTS, repeats: 1 }

/** The gate at one point of the sweep. */
interface WorkingPoint {
  readonly pulse: GatePulse
  /** s. */
  readonly duration: number
}

/** Duration of a full return at a distance from resonance (Hz), from that on resonance (s). */
function fullReturn(onResonance: number, detuning: number): number {
  return 1 / Math.hypot(1 / onResonance, detuning)
}

function degreesFrom0(angle: number): number {
  return (degreesOf(angle) + 360) % 360
}

/** What the interaction at rest does to the phase of the lower qubit. */
interface Rest {
  /** rad/s. */
  readonly rate: Estimate
  /** What it adds to a fringe beside the gate, rad. */
  readonly inPulses: number
}

/** The interaction at rest, from fringes around a wait. A pulse turns the phase for half of its length. */
function* restPhase(context: RoutineContext): Measurement<Rest> {
  const { low, high } = orderedEnds(context)
  const t2Star = low.optional(ROUGH_T2_STAR) ?? low.optional('coherence.t2_star') ?? Number.POSITIVE_INFINITY
  const wait = Math.min(REST_S, onGrid(REST_IN_T2_STAR * t2Star))
  const between: PhaseProbe['between'] = (schedule) => schedule.delay(low.name, wait)
  const probes = ([0, 1] as const).map((state) => ({ qubit: low, other: high, state, between }))
  const [zero, one] = yield* fringesOf(context, probes, fringePhases(context, PHASES), SHOTS)
  const difference = phaseDifference(zero?.values.phase ?? NOT_MEASURED, one?.values.phase ?? NOT_MEASURED)
  const pulse = low.number('rxy.duration')
  const rate = {
    value: difference.value / (wait + pulse),
    error: difference.error / (wait + pulse),
  }
  return { rate, inPulses: rate.value * pulse }
}

/** Conditional phase of the gate at each working point, rad. */
function* gatePhases(
  context: RoutineContext,
  points: readonly WorkingPoint[],
  rest: Rest,
  shots = SHOTS,
): Measurement<Estimate[]> {
  const { low, high } = orderedEnds(context)
  const probes = points.flatMap(({ pulse, duration }) => {
    const between: PhaseProbe['between'] = (schedule) =>
      schedule.cz(context.target, { ...pulse, duration, isRaw: true })
    return ([0, 1] as const).map((state) => ({ qubit: low, other: high, state, between }))
  })
  const fringes = yield* fringesOf(context, probes, fringePhases(context, PHASES), shots)
  return points.map((_, at) => {
    const [zero, one] = [fringes[2 * at]?.values.phase, fringes[2 * at + 1]?.values.phase]
    const { value, error } = phaseDifference(zero ?? NOT_MEASURED, one ?? NOT_MEASURED)
    return { value: value - rest.inPulses, error }
  })
}

interface LineResult {
  /** Hz from resonance as it is stored. */
  readonly detuning: number
  /** Estimate of the tuned parameter. */
  readonly value: Estimate
  readonly trace: FitTrace
  readonly quality: Quality
}

/** Where on the line of full return the phase is π. */
function* phaseAlongLine(
  context: RoutineContext,
  drive: GateDrive,
  stored: number,
  rest: Rest,
): Measurement<LineResult> {
  const wanted = Number(context.setting('working_points') ?? WORKING_POINTS)
  const count = Math.max(MIN_LINE, wanted - DURATIONS - 1)
  const reach = (REACH * context.attempt.number) / stored
  const detunings = Float64Array.from({ length: count }, (_, at) => reach * ((2 * at) / (count - 1) - 1))
  const points = Array.from(detunings, (detuning) => ({
    pulse: drive.pulseAt(drive.value + detuning / drive.slope),
    duration: fullReturn(stored, detuning),
  }))
  const phases: number[] = []
  // A program for each point: the settings of a gate change between programs, not within one.
  for (const point of points) {
    const [phase = NOT_MEASURED] = yield* gatePhases(context, [point], rest, LINE_SHOTS)
    phases.push(phase.value)
  }
  const { values, fit, quality } = accepted(yield* fitPhaseCrossing(detunings, phases))
  const { value: detuning, error } = values.crossing
  return {
    detuning,
    value: { value: drive.value + detuning / drive.slope, error: error / Math.abs(drive.slope) },
    trace: fit,
    quality,
  }
}

/** The duration of least leakage at a distance from resonance, s. */
function* leastLeakage(
  context: RoutineContext,
  drive: GateDrive,
  point: { readonly value: number; readonly duration: number },
): Measurement<Estimate> {
  const middle = Math.round(point.duration / STEP_S)
  // Fewer gates see further: their leakage is periodic in the duration.
  const gates = Math.max(1, GATES - 2 * (context.attempt.number - 1))
  const step = context.attempt.number
  const durations = Float64Array.from({ length: DURATIONS }, (_, at) =>
    Math.max(STEP_S, (middle + step * (at - (DURATIONS - 1) / 2)) * STEP_S),
  )
  const pulse = drive.pulseAt(point.value)
  const trials = Array.from(durations, (duration) => ({ pulse, duration, gates }))
  const lost = yield* gateLosses(context, trials, { shots: 2 * SHOTS, repeats: 1 })
  const found = lost.map(({ value }) => value)
  return accepted(yield* fitFullReturn(durations, found, gates)).values.duration
}
