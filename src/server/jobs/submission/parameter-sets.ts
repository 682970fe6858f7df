import type { FieldError } from '../../../base/index.ts'
import { JOB_LIMITS } from '../../../protocol/index.ts'

/**
 * The first problem of `sets`, lists of finite numbers, with its path below `path`. A job may contain a
 * million numbers; a schema would take ten times as long.
 */
export function problemOfSets(sets: unknown, path: string): { path: string; error: FieldError } | undefined {
  if (!Array.isArray(sets))
    return { path, error: expected('a list of numbers, or of lists of numbers', sets) }
  for (const [number, set] of sets.entries()) {
    const place = `${path}.${number}`
    if (!Array.isArray(set)) return { path: place, error: expected('a list of numbers', set) }
    if (set.length > JOB_LIMITS.parameters) return { path: place, error: tooMany(set.length) }
    const bad = set.findIndex((value) => typeof value !== 'number' || !Number.isFinite(value))
    if (bad >= 0) return { path: `${place}.${bad}`, error: expected('a finite number', set[bad]) }
  }
  return undefined
}

function expected(what: string, given: unknown): FieldError {
  const received = typeof given === 'string' ? JSON.stringify(given.slice(0, 80)) : typeof given
  return { code: 'validation_not_a_number', message: `Expected ${what} (got ${received}).` }
}

function tooMany(count: number): FieldError {
  const message = `A set has at most ${JOB_LIMITS.parameters} values, this one ${count}.`
  return { code: 'validation_length_too_long', message, params: { max: JOB_LIMITS.parameters } }
}
