import type { Finding, FoundValue } from '../routine.ts'

/** Part of the change that its check sees up to which the error of a value is small enough. */
const WANTED_PART = 1 / 5
/** The same for a value without a check and a wanted error, relative to it. */
const WANTED_ERROR = 1 / 10

/**
 * Whether a finding with a part of the shots is as good as wanted. Values without an error are choices; one
 * that is not resolved may be with all shots.
 */
export function isPrecise({ parameters = {}, unresolved }: Finding): boolean {
  return unresolved !== true && Object.values(parameters).every(isWanted)
}

function isWanted({ value, error, checkLimit, wantedError }: FoundValue): boolean {
  if (error === undefined || typeof value !== 'number') return true
  if (checkLimit === undefined) return error <= (wantedError ?? WANTED_ERROR * Math.abs(value))
  return error <= Math.max(WANTED_PART * checkLimit, wantedError ?? 0)
}
