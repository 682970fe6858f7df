import { PAUSE, PAUSE_SAMPLES, type Steps } from '../steps.ts'
import { type LeastSquaresSolution, minimizeSquares } from './least-squares.ts'
import { solveSymmetric } from './symmetric-matrix.ts'

/**
 * A curve that is a linear combination of basis functions, which depend on further, non-linear parameters.
 * Parameters are listed with the non-linear ones first.
 */
export interface SeparableCurve {
  /** Number of basis functions. */
  linear: number
  /** For non-linear parameters scaled to order 1, what writes the basis functions at point `at` to `out`. */
  basis(parameters: Float64Array): (at: number, out: Float64Array) => void
  /** Grid of the non-linear parameters from which the best start is taken. */
  candidates: Iterable<readonly number[]>
  /** Only every so many samples decide among the candidates; 1 by default. */
  stride?: number
  /** Bounds of all parameters. A start whose linear parameters break them is not used. */
  lower?: readonly number[]
  upper?: readonly number[]
}

/**
 * Fits a separable curve: the linear parameters are solved exactly at every candidate of the others (variable
 * projection, G. Golub and V. Pereyra, SIAM J. Numer. Anal. 10, 413 (1973)), and the best candidate is
 * refined by {@link minimizeSquares}. Undefined when no candidate can be solved, as with data that are not
 * finite.
 */
export function* fitSeparable(
  observed: Float64Array,
  curve: SeparableCurve,
): Steps<LeastSquaresSolution | undefined> {
  const start = yield* bestStart(observed, curve)
  if (!start) return undefined
  const size = start.length
  const nonlinear = size - curve.linear
  const row = new Float64Array(curve.linear)
  return yield* minimizeSquares({
    observed,
    start,
    differences: nonlinear,
    ...(curve.lower && { lower: curve.lower }),
    ...(curve.upper && { upper: curve.upper }),
    predict(parameters, out) {
      const write = curve.basis(parameters)
      for (let at = 0; at < out.length; at++) {
        write(at, row)
        let sum = 0
        for (let term = 0; term < row.length; term++) {
          sum += (row[term] as number) * (parameters[nonlinear + term] as number)
        }
        out[at] = sum
      }
    },
    jacobian(parameters, out) {
      const write = curve.basis(parameters)
      for (let at = 0; at < observed.length; at++) {
        write(at, row)
        for (let term = 0; term < row.length; term++) {
          out[at * size + nonlinear + term] = row[term] as number
        }
      }
    },
  })
}

/** The candidate with the least squares, followed by its linear parameters. */
function* bestStart(observed: Float64Array, curve: SeparableCurve): Steps<Float64Array | undefined> {
  let best: Float64Array | undefined
  let bestGain = Number.NEGATIVE_INFINITY
  const samples = observed.length / (curve.stride ?? 1)
  let done = 0
  for (const candidate of curve.candidates) {
    done += samples
    if (done > PAUSE_SAMPLES) {
      yield PAUSE
      done = 0
    }
    const { matrix, vector } = project(observed, curve, candidate)
    const linear = solveSymmetric(matrix, vector)
    if (!linear) continue
    // The sum of squares decreases by this product when the linear parameters are optimal.
    const gain = linear.reduce((sum, value, at) => sum + value * (vector[at] as number), 0)
    if (!(gain > bestGain) || !isWithin(linear, candidate.length, curve)) continue
    bestGain = gain
    best = Float64Array.from([...candidate, ...linear])
  }
  return best
}

function project(observed: Float64Array, curve: SeparableCurve, candidate: readonly number[]) {
  const size = curve.linear
  const matrix = new Float64Array(size * size)
  const vector = new Float64Array(size)
  const row = new Float64Array(size)
  const write = curve.basis(Float64Array.from(candidate))
  for (let at = 0; at < observed.length; at += curve.stride ?? 1) {
    write(at, row)
    for (let a = 0; a < size; a++) {
      const value = row[a] as number
      vector[a] = (vector[a] as number) + value * (observed[at] as number)
      for (let b = 0; b <= a; b++) {
        matrix[a * size + b] = (matrix[a * size + b] as number) + value * (row[b] as number)
      }
    }
  }
  for (let a = 0; a < size; a++) {
    for (let b = a + 1; b < size; b++) matrix[a * size + b] = matrix[b * size + a] as number
  }
  return { matrix, vector }
}

function isWithin(linear: Float64Array, offset: number, { lower, upper }: SeparableCurve): boolean {
  return linear.every(
    (value, at) =>
      value >= (lower?.[offset + at] ?? Number.NEGATIVE_INFINITY) &&
      value <= (upper?.[offset + at] ?? Number.POSITIVE_INFINITY),
  )
}
