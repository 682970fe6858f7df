import type { AcceptedFit, Fit, FitTrace, Quality } from '../../fitting/fit.ts'
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

/** A time rounded to whole steps of 4 ns, to which instruments are bound, s. */
export function onGrid(seconds: number): number {
  return (Math.round(seconds / 4e-9) * 4) / 1e9
}
