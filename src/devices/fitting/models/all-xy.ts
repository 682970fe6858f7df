import { meanOf } from '../../../base/index.ts'
import { rejectSamples } from '../acceptance.ts'
import { axisOf, POPULATION } from '../axes.ts'
import { type Estimate, type Fit, rejectFit } from '../fit.ts'
import { minimizeSquares } from '../solve/least-squares.ts'
import type { Steps } from '../steps.ts'
import { finiteDigits, lineTrace } from '../trace.ts'

/** A rotation of the sequence: identity, or by π (capital) or π/2 about the axis of its name. */
type AllXyGate = 'I' | 'X' | 'Y' | 'x' | 'y'

/**
 * The 21 pairs in their usual order (M. D. Reed, thesis, Yale 2013, section 5.2.3): ideal populations 0, 1/2
 * and 1.
 */
export const ALL_XY_PAIRS: readonly (readonly [AllXyGate, AllXyGate])[] = [
  ...(['II', 'XX', 'YY', 'XY', 'YX'] as const),
  ...(['xI', 'yI', 'xy', 'yx', 'xY', 'yX', 'Xy', 'Yx', 'xX', 'Xx', 'yY', 'Yy'] as const),
  ...(['XI', 'YI', 'xx', 'yy'] as const),
].map((pair) => [pair[0] as AllXyGate, pair[1] as AllXyGate])

/** Pairs that end in state 0 at the start of the list, and in state 1 at its end. */
const ZEROS = 5
const ONES = 4
/** Smallest distance of the plateaus at 0 and 1, in standard deviations of their points. */
const MIN_STEP = 5
/** Smallest size of a cause, in standard errors, and the smallest rms that needs one. */
const MIN_CAUSE = 3
const MIN_RMS = 0.01

/**
 * Small errors of all pulses: relative amplitude, phase gained per pulse (rad), and phase that grows with the
 * drive.
 */
const CAUSES = ['amplitude', 'detuning', 'drag'] as const
export type AllXyCause = (typeof CAUSES)[number]

/** Deviation of the 21 populations from the ideal staircase. */
interface AllXyResult extends Record<AllXyCause, Estimate> {
  rms: Estimate
  /** The error that explains most of the deviation; undefined when it is small, or has another form. */
  cause: AllXyCause | undefined
}

/**
 * Compares populations of {@link ALL_XY_PAIRS}, in their order, with the ideal staircase. The deviation is a
 * sum of the patterns of three pulse errors, each with its sign. Rejected as `no_signal` when the plateaus at
 * 0 and 1 are less than 5 standard deviations apart.
 */
export function* fitAllXy(populations: ArrayLike<number>): Steps<Fit<AllXyResult>> {
  const swept = ALL_XY_PAIRS.map((_, at) => at)
  const unusable = rejectSamples(swept, populations, { parameters: CAUSES.length + 1, mayRepeat: true })
  if (unusable) return unusable
  const ideal = populationsWith({})
  const rest = Float64Array.from(populations, (value, at) => value - (ideal[at] ?? 0))
  const patterns = CAUSES.map((cause) => patternOf(cause))
  const solution = yield* minimizeSquares({
    observed: rest,
    start: [0, 0, 0],
    predict(sizes, out) {
      for (let at = 0; at < out.length; at++) {
        out[at] = patterns.reduce(
          (sum, pattern, cause) => sum + (sizes[cause] as number) * (pattern[at] ?? 0),
          0,
        )
      }
    },
  })
  const estimate = (at: number): Estimate => ({
    value: solution.parameters[at] ?? 0,
    error: Math.sqrt(solution.covariance[at * CAUSES.length + at] ?? 0),
  })
  const rms = Math.sqrt(rest.reduce((sum, value) => sum + value * value, 0) / rest.length)
  const sizes = { amplitude: estimate(0), detuning: estimate(1), drag: estimate(2) }
  const weights = CAUSES.map((cause, at) => ({
    cause,
    weight: Math.abs(sizes[cause].value) * Math.hypot(...(patterns[at] ?? [])),
    isClear: Math.abs(sizes[cause].value) > MIN_CAUSE * sizes[cause].error,
  })).sort((a, b) => b.weight - a.weight)
  const values: AllXyResult = {
    ...sizes,
    rms: { value: rms, error: rms / Math.sqrt(2 * rest.length) },
    cause: rms > MIN_RMS ? weights.find(({ isClear }) => isClear)?.cause : undefined,
  }
  const { step, scatter } = plateaus(populations)
  const quality = { rms: finiteDigits(rms), step: finiteDigits(step), points: rest.length }
  const fit = lineTrace({
    model: 'all_xy',
    x: axisOf({ name: 'pair', unit: '' }, swept),
    y: axisOf(POPULATION, populations),
    curve: ideal,
    estimates: { rms: values.rms, ...sizes },
  })
  if (step > MIN_STEP * scatter) return { ok: true, values, quality, fit }
  const message = `The plateaus at 0 and 1 differ by ${step.toFixed(3)}, less than ${MIN_STEP} standard deviations`
  return rejectFit('no_signal', message, { quality, fit })
}

/** Distance of the plateaus at 0 and 1, and the larger standard deviation of their points. */
function plateaus(populations: ArrayLike<number>) {
  const all = Array.from(populations)
  const statistics = (values: readonly number[]) => {
    const mean = meanOf(values)
    const squares = values.reduce((sum, value) => sum + (value - mean) ** 2, 0)
    return { mean, variance: squares / (values.length - 1) }
  }
  const [low, high] = [statistics(all.slice(0, ZEROS)), statistics(all.slice(-ONES))]
  return { step: high.mean - low.mean, scatter: Math.sqrt(Math.max(low.variance, high.variance)) }
}

/** Change of the populations per unit of an error, by central differences. */
function patternOf(cause: AllXyCause): number[] {
  const step = 1e-4
  const [above, below] = [populationsWith({ [cause]: step }), populationsWith({ [cause]: -step })]
  return above.map((value, at) => (value - (below[at] ?? 0)) / (2 * step))
}

type Vector = readonly [number, number, number]

function populationsWith(errors: Partial<Record<AllXyCause, number>>): number[] {
  return ALL_XY_PAIRS.map((pair) => {
    const [, , z] = pair.reduce((state, gate) => turn(state, rotationOf(gate, errors)), [0, 0, 1] as Vector)
    return (1 - z) / 2
  })
}

/**
 * Rotation vector of a pulse with errors, rad. A drive error adds a phase in proportion to the square of the
 * drive.
 */
function rotationOf(gate: AllXyGate, errors: Partial<Record<AllXyCause, number>>): Vector {
  const { amplitude = 0, detuning = 0, drag = 0 } = errors
  if (gate === 'I') return [0, 0, detuning]
  const share = gate === gate.toUpperCase() ? 1 : 0.5
  const angle = Math.PI * share * (1 + amplitude)
  const phase = detuning + drag * share ** 2
  return gate.toUpperCase() === 'X' ? [angle, 0, phase] : [0, angle, phase]
}

/** Rotates a vector about an axis by its length (Rodrigues). */
function turn(vector: Vector, rotation: Vector): Vector {
  const angle = Math.hypot(...rotation)
  if (angle === 0) return vector
  const [x, y, z] = rotation.map((part) => part / angle) as [number, number, number]
  const [a, b, c] = vector
  const [cos, sin] = [Math.cos(angle), Math.sin(angle)]
  const dot = (x * a + y * b + z * c) * (1 - cos)
  return [
    a * cos + (y * c - z * b) * sin + x * dot,
    b * cos + (z * a - x * c) * sin + y * dot,
    c * cos + (x * b - y * a) * sin + z * dot,
  ]
}
