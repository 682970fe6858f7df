import type { CalibrationFindings } from '../../../protocol/index.ts'

/** What a chip may do until it is calibrated again. */
export interface DriftLimits {
  /** Smallest fidelity of the gates of a qubit. */
  readonly qubit: number
  /** Smallest fidelity of the gate of an edge. */
  readonly edge: number
  /** How many times as large as when it was calibrated an error may be. */
  readonly errorFactor: number
}

/** A target that is worse than its limits. */
export interface DriftedTarget {
  readonly target: string
  /** Fidelity of its gates; undefined when that is not what has drifted. */
  readonly fidelity: number | undefined
  readonly threshold: number
  /** What has drifted, for people. */
  readonly reason: string
}

/** What a routine of a fidelity check says of a target. */
interface DriftVerdict extends DriftedTarget {
  readonly routine: string
  /** `unknown` neither shows drift nor that there is none. */
  readonly state: 'in' | 'out' | 'unknown'
}

/** What is judged of a report. */
type JudgedFindings = Pick<CalibrationFindings, 'benchmarks' | 'routines'>
type Benchmark = NonNullable<CalibrationFindings['benchmarks']>[number]
type RoutineEntry = NonNullable<CalibrationFindings['routines']>[number]

/** Benchmarks whose fidelity is that of a gate, with the threshold that applies. */
const GATE_PROTOCOLS: Readonly<Record<string, 'qubit' | 'edge'>> = {
  randomized_benchmarking: 'qubit',
  cz_rb: 'edge',
}
/** Without a gate fidelity: the largest root mean square deviation of AllXY. */
const MAX_ALL_XY_RMS = 0.05
/** Largest error of a readout whose error when it was calibrated is not known. */
const MAX_READOUT_ERROR = 0.1
/** Standard errors by which a limit that follows from a value in force must be exceeded. */
const CLEAR = 2
/**
 * Changes of values in force: of f01 (Hz), which 50 kHz turn by 20 mrad in a gate of 56 ns, ten times as far
 * as frequencies wander in a day, and of the angle of a readout (degrees).
 */
const MAX_CHANGES: Readonly<Record<string, { path: RegExp; limit: number; turn: number }>> = {
  ramsey_correction: { path: /^clock_freqs\.f01$/, limit: 50e3, turn: Number.POSITIVE_INFINITY },
  two_state_discrimination: { path: /\.acq_rotation$/, limit: 20, turn: 360 },
}

/**
 * The routines of a fidelity check that tell whether the value of a routine has drifted. The checks of these
 * see less than that: after an hour, a phase that a good qubit keeps for long shows how frequencies wander.
 */
export const JUDGED_BY: Readonly<Record<string, readonly string[]>> = {
  ramsey_correction: ['ramsey_correction'],
  t1: ['t1'],
  two_state_discrimination: ['two_state_discrimination', 'readout_fidelity'],
}

/** The targets of a fidelity check that have drifted, each with all that has. */
export function driftedTargets(findings: JudgedFindings, limits: DriftLimits): DriftedTarget[] {
  const out = judgeFindings(findings, limits).filter(({ state }) => state === 'out')
  return Map.groupBy(out, ({ target }) => target)
    .values()
    .flatMap((verdicts) => {
      const worst = verdicts.find(({ fidelity }) => fidelity !== undefined) ?? verdicts[0]
      const reason = verdicts.map((each) => each.reason).join('; ')
      return worst
        ? [{ target: worst.target, fidelity: worst.fidelity, threshold: worst.threshold, reason }]
        : []
    })
    .toArray()
}

/**
 * What each routine of a fidelity check says of its target. Gates are out below their threshold by more than
 * one standard error, or with an error that is clearly a multiple of that when they were calibrated; a
 * readout, T1, a frequency and the angle of a readout likewise. An error that is only known to lie below a
 * bound is in when the bound is within the limits, otherwise it says nothing. A routine that failed is out.
 * AllXY decides where no benchmark of gates did.
 */
export function judgeFindings(findings: JudgedFindings, limits: DriftLimits): DriftVerdict[] {
  const { benchmarks = [], routines = [] } = findings
  const verdict = (each: Judged): DriftVerdict => {
    const kind = GATE_PROTOCOLS[each.routine] ?? 'qubit'
    return {
      fidelity: undefined,
      threshold: limits[kind],
      ...each,
      reason: `${each.routine}: ${each.reason}`,
    }
  }
  const verdicts = [
    ...benchmarks.flatMap((each) => benchmarkVerdict(each, limits)),
    ...routines.flatMap((each) => routineVerdict(each, limits)),
  ].map(verdict)
  const gates = new Set(
    verdicts.filter(({ routine }) => routine in GATE_PROTOCOLS).map(({ target }) => target),
  )
  const byAllXy = benchmarks.flatMap(({ protocol, target, error }): DriftVerdict[] => {
    if (protocol !== 'all_xy' || typeof error !== 'number' || gates.has(target)) return []
    const state = error > MAX_ALL_XY_RMS ? 'out' : 'in'
    const reason = `all_xy deviates by ${text(error)}, at most ${MAX_ALL_XY_RMS}`
    return [verdict({ target, routine: 'randomized_benchmarking', state, reason })]
  })
  return [...verdicts, ...byAllXy]
}

type Judged = Pick<DriftVerdict, 'target' | 'routine' | 'state' | 'reason'> & { fidelity?: number }

function benchmarkVerdict(benchmark: Benchmark, limits: DriftLimits): Judged[] {
  const { protocol: routine, target, fidelity, upper_bound: bound, ...rest } = benchmark
  const kind = GATE_PROTOCOLS[routine]
  if (!kind && routine !== 'readout_fidelity') return []
  const before = numberOr(rest['previous_error'], Number.NaN)
  const relative = before > 0 ? limits.errorFactor * before : Number.NaN
  const unknownBefore = kind ? Number.POSITIVE_INFINITY : MAX_READOUT_ERROR
  const most = Number.isNaN(relative) ? unknownBefore : relative
  const absolute = kind ? 1 - limits[kind] : Number.POSITIVE_INFINITY
  if (bound) {
    const isWithin = bound.error <= Math.min(most, absolute)
    const reason = `the error is at most ${text(bound.error)}`
    return [{ target, routine, state: isWithin ? 'in' : 'unknown', reason }]
  }
  if (typeof fidelity !== 'number') return []
  const [error, spread] = [1 - fidelity, numberOr(rest['fidelity_error'], 0)]
  const isBelow = error - spread > absolute
  const state = isBelow || error - CLEAR * spread > most ? 'out' : 'in'
  const limit = isBelow ? `threshold ${text(absolute)}` : `${text(before)} when it was calibrated`
  return [{ target, routine, state, reason: `error ${text(error)}, ${limit}`, ...(kind && { fidelity }) }]
}

function routineVerdict(entry: RoutineEntry, { errorFactor }: DriftLimits): Judged[] {
  const { routine, target, status, error, parameters = {}, unresolved } = entry
  if (unresolved === true) return []
  if (status === 'failed') return [{ target, routine, state: 'out', reason: error?.message ?? 'failed' }]
  const values = Object.entries(parameters).flatMap(([path, found]) => {
    const [value, previous] = [numberOr(found.value, Number.NaN), numberOr(found.previous, Number.NaN)]
    const spread = CLEAR * numberOr(found.error, 0)
    return Number.isNaN(value - previous) ? [] : [{ path, value, previous, spread }]
  })
  return values.flatMap(({ path, value, previous, spread }): Judged[] => {
    const reason = `${path} is ${text(value)}, ${text(previous)} in force`
    if (path === 'coherence.t1') {
      const isShort = value + spread < previous / errorFactor
      return [{ target, routine, state: isShort ? 'out' : 'in', reason }]
    }
    const rule = MAX_CHANGES[routine]
    if (!rule?.path.test(path)) return []
    const apart = Math.abs(value - previous) % rule.turn
    const change = Math.min(apart, rule.turn - apart)
    return [{ target, routine, state: change - spread > rule.limit ? 'out' : 'in', reason }]
  })
}

function numberOr(value: unknown, otherwise: number): number {
  return typeof value === 'number' ? value : otherwise
}

function text(value: number): string {
  return String(Number(value.toPrecision(value > 1e6 ? 8 : 3)))
}
