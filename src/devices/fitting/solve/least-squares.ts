import { PAUSE, PAUSE_SAMPLES, type Steps } from '../steps.ts'
import { studentFactor } from './student-t.ts'
import { invertSymmetric, solveSymmetric } from './symmetric-matrix.ts'

/** A curve to be fitted to data. All parameters should be scaled to order 1. */
interface LeastSquaresProblem {
  observed: Float64Array
  /** Writes the value of the curve at every point to `out`. */
  predict(parameters: Float64Array, out: Float64Array): void
  /**
   * Writes the derivatives to `out`, one row of parameters per point. Without it, or for the parameters below
   * `differences`, they are central differences.
   */
  jacobian?(parameters: Float64Array, out: Float64Array): void
  /** Number of leading parameters whose derivatives `jacobian` does not write. */
  differences?: number
  start: ArrayLike<number>
  lower?: ArrayLike<number>
  upper?: ArrayLike<number>
}

/** The result of a fit. */
export interface LeastSquaresSolution {
  parameters: Float64Array
  /** Covariance of the parameters, row-major. A parameter at a bound has none. Infinite when undetermined. */
  covariance: Float64Array
  /** Values of the curve at the points. */
  predicted: Float64Array
  /** Sum of the squared residuals. */
  squares: number
}

const MAX_ITERATIONS = 60
/** Relative decrease of the sum of squares below which the fit has converged. */
const TOLERANCE = 1e-9
/** Step of central differences, in units of a parameter of order 1. */
const STEP = 1e-6
const MIN_DAMPING = 1e-12
const MAX_DAMPING = 1e10
/** Below this number of points, errors follow Student's t distribution. */
const FEW_POINTS = 20

/**
 * Minimizes the sum of squared residuals by the method of Levenberg and Marquardt (D. W. Marquardt, J. SIAM
 * 11, 431 (1963)): normal equations whose diagonal grows by a factor, inside box bounds. A parameter at a
 * bound whose gradient points outward rests for the step. The covariance is s²·(JᵀJ)⁻¹ with s² estimated from
 * the residuals; with fewer than 20 points it is widened by {@link studentFactor}. Never throws: a curve that
 * is not finite anywhere near the start returns the start.
 */
export function* minimizeSquares(problem: LeastSquaresProblem): Steps<LeastSquaresSolution> {
  const { observed, predict } = problem
  const parameters = clampTo(problem)(Float64Array.from(problem.start))
  const predicted = new Float64Array(observed.length)
  predict(parameters, predicted)
  let state: State = { parameters, predicted, squares: sumOfSquares(observed, predicted), damping: 1e-3 }
  const derivatives = new Float64Array(observed.length * parameters.length)
  const samples = observed.length * (2 * parameters.length + 1)
  let done = 0
  for (let iteration = 0; iteration < MAX_ITERATIONS && state.squares > 0; iteration++) {
    done += samples
    if (done > PAUSE_SAMPLES) {
      yield PAUSE
      done = 0
    }
    differentiate(problem, state.parameters, derivatives)
    const before = state.squares
    const next = improve(problem, state, derivatives)
    if (!next) break
    state = next
    if (before - state.squares < TOLERANCE * before) break
  }
  differentiate(problem, state.parameters, derivatives)
  return { ...state, covariance: covarianceOf(problem, state, derivatives) }
}

/** A point of the search. */
interface State {
  parameters: Float64Array
  predicted: Float64Array
  squares: number
  damping: number
}

/** One step that lowers the sum of squares, with as little damping as that takes; undefined at a minimum. */
function improve(problem: LeastSquaresProblem, state: State, derivatives: Float64Array): State | undefined {
  const { matrix, gradient } = normalEquations(problem, derivatives, state.predicted)
  const isFree = freeParameters(problem, state.parameters, gradient)
  const clamp = clampTo(problem)
  const predicted = new Float64Array(problem.observed.length)
  for (let { damping } = state; damping < MAX_DAMPING; damping *= 4) {
    const step = dampedStep(matrix, gradient, isFree, damping)
    if (!step) continue
    const parameters = clamp(step.map((change, at) => change + (state.parameters[at] as number)))
    problem.predict(parameters, predicted)
    const squares = sumOfSquares(problem.observed, predicted)
    if (squares < state.squares) {
      return { parameters, predicted, squares, damping: Math.max(damping / 5, MIN_DAMPING) }
    }
  }
  return undefined
}

/** Sum of the squared differences of two series; NaN when any value is not finite. */
function sumOfSquares(observed: ArrayLike<number>, predicted: ArrayLike<number>): number {
  let sum = 0
  for (let at = 0; at < observed.length; at++) {
    const rest = (observed[at] as number) - (predicted[at] as number)
    sum += rest * rest
  }
  return sum
}

function clampTo({ lower, upper }: LeastSquaresProblem) {
  return (parameters: Float64Array): Float64Array => {
    for (let at = 0; at < parameters.length; at++) {
      const value = Math.max(parameters[at] as number, lower?.[at] ?? Number.NEGATIVE_INFINITY)
      parameters[at] = Math.min(value, upper?.[at] ?? Number.POSITIVE_INFINITY)
    }
    return parameters
  }
}

function differentiate(problem: LeastSquaresProblem, parameters: Float64Array, out: Float64Array): void {
  const size = parameters.length
  const points = problem.observed.length
  problem.jacobian?.(parameters, out)
  const last = problem.jacobian ? (problem.differences ?? 0) : size
  const [above, below] = [new Float64Array(points), new Float64Array(points)]
  for (let column = 0; column < last; column++) {
    const shifted = Float64Array.from(parameters)
    const value = parameters[column] as number
    const step = STEP * Math.max(1, Math.abs(value))
    shifted[column] = value + step
    problem.predict(shifted, above)
    shifted[column] = value - step
    problem.predict(shifted, below)
    for (let at = 0; at < points; at++) {
      out[at * size + column] = ((above[at] as number) - (below[at] as number)) / (2 * step)
    }
  }
}

/** JᵀJ and Jᵀr of the residuals r. */
function normalEquations(
  { observed, start: { length: size } }: LeastSquaresProblem,
  derivatives: Float64Array,
  predicted: Float64Array,
) {
  const matrix = new Float64Array(size * size)
  const gradient = new Float64Array(size)
  for (let at = 0; at < observed.length; at++) {
    const rest = (observed[at] as number) - (predicted[at] as number)
    for (let row = 0; row < size; row++) {
      const slope = derivatives[at * size + row] as number
      gradient[row] = (gradient[row] as number) + slope * rest
      for (let column = 0; column <= row; column++) {
        const place = row * size + column
        matrix[place] = (matrix[place] as number) + slope * (derivatives[at * size + column] as number)
      }
    }
  }
  for (let row = 0; row < size; row++) {
    for (let column = row + 1; column < size; column++) {
      matrix[row * size + column] = matrix[column * size + row] as number
    }
  }
  return { matrix, gradient }
}

/** Parameters that are inside their bounds, or whose gradient points inward. */
function freeParameters(
  { lower, upper }: LeastSquaresProblem,
  parameters: Float64Array,
  gradient: Float64Array,
): boolean[] {
  return Array.from(parameters, (value, at) => {
    const slope = gradient[at] as number
    const isStuckBelow = lower !== undefined && value <= (lower[at] as number) && slope <= 0
    const isStuckAbove = upper !== undefined && value >= (upper[at] as number) && slope >= 0
    return !isStuckBelow && !isStuckAbove
  })
}

function dampedStep(
  matrix: Float64Array,
  gradient: Float64Array,
  isFree: readonly boolean[],
  damping: number,
): Float64Array | undefined {
  const size = gradient.length
  const damped = Float64Array.from(matrix)
  const target = Float64Array.from(gradient)
  for (let row = 0; row < size; row++) {
    const diagonal = matrix[row * size + row] as number
    damped[row * size + row] = diagonal * (1 + damping)
    if (isFree[row] && diagonal > 0) continue
    for (let column = 0; column < size; column++) damped[row * size + column] = 0
    for (let column = 0; column < size; column++) damped[column * size + row] = 0
    damped[row * size + row] = 1
    target[row] = 0
  }
  return solveSymmetric(damped, target)
}

function covarianceOf(
  problem: LeastSquaresProblem,
  { parameters, predicted, squares }: State,
  derivatives: Float64Array,
): Float64Array {
  const size = parameters.length
  const points = problem.observed.length
  const { matrix, gradient } = normalEquations(problem, derivatives, predicted)
  const isFree = freeParameters(problem, parameters, gradient.fill(0))
  const free = isFree.flatMap((is, at) => (is ? [at] : []))
  const scales = free.map((at) => Math.sqrt(matrix[at * size + at] as number))
  const scaled = new Float64Array(free.length ** 2)
  for (const [row, a] of free.entries()) {
    for (const [column, b] of free.entries()) {
      const scale = (scales[row] as number) * (scales[column] as number)
      scaled[row * free.length + column] = (matrix[a * size + b] as number) / scale
    }
  }
  const inverse = invertSymmetric(scaled, free.length)
  const covariance = new Float64Array(size * size)
  if (!inverse) return covariance.fill(Number.POSITIVE_INFINITY)
  const freedom = points - free.length
  const widening = points < FEW_POINTS ? studentFactor(freedom) ** 2 : 1
  const variance = (widening * squares) / Math.max(freedom, 1)
  for (const [row, a] of free.entries()) {
    for (const [column, b] of free.entries()) {
      const scale = (scales[row] as number) * (scales[column] as number)
      covariance[a * size + b] = ((inverse[row * free.length + column] as number) * variance) / scale
    }
  }
  return covariance
}
