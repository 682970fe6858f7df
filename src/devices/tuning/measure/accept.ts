import type { AcceptedFit, Estimate, Fit, FitTrace, Quality } from '../../fitting/fit.ts'
import { type CheckOutcome, RoutineError } from '../routine.ts'

/** The accepted fit. @throws RoutineError with the reason of a rejected one. */
export function accepted<Values>(fit: Fit<Values>): AcceptedFit<Values> {
  if (fit.ok) return fit
  const { code, message, fit: trace, quality } = fit
  throw new RoutineError(code, message, { ...(trace && { trace }), ...(quality && { quality }) })
}

/** Trace and figures of a fit, also of one that was not accepted. */
export function tracesOf({ fit, quality }: Fit<unknown>): { trace?: FitTrace; quality?: Quality } {
  return { ...(fit && { trace: fit }), ...(quality && { quality }) }
}

/**
 * The outcome of a check: `deviation` in the unit of its limit. @throws RoutineError when it is no number.
 */
export function checkOf(deviation: number, limit: number): CheckOutcome {
  const margin = Math.abs(deviation) / limit
  if (!Number.isFinite(margin)) throw new RoutineError('no_data', 'The acquisition holds no signal')
  return { state: margin > 1 ? 'out' : 'in', margin }
}

/** Steps of the times to which instruments are bound, ns. */
export const GRID_NS = 4

/** A time rounded to whole steps of 4 ns, to which instruments are bound, s. */
export function onGrid(seconds: number): number {
  return inSteps(seconds, GRID_NS)
}

/**
 * A found time (s) rounded to whole steps of 4 ns, or of as many as given. Its error is also that of the
 * rounding: of equal chips, some are rounded up and others down.
 */
export function rounded({ value, error }: Estimate, stepNs = GRID_NS): Estimate {
  return { value: inSteps(value, stepNs), error: Math.hypot(error, (stepNs * 1e-9) / Math.sqrt(12)) }
}

function inSteps(seconds: number, stepNs: number): number {
  return (Math.round(seconds / (stepNs * 1e-9)) * stepNs) / 1e9
}
