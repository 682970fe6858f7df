import { ValueError } from './value-error.ts'
import type { ValueKind } from './value-kind.ts'

/** A value that could not be read. */
export interface BadValue {
  /** The value as it was given, in quotes; empty when the report must not repeat it. */
  shownValue: string
  /** What is accepted. */
  reason: string
}

/** Runs `parse`, which reads `given` as a value of `kind`, and turns its `ValueError` into a report. */
export function readValue<T>(
  kind: ValueKind<unknown>,
  given: unknown,
  parse: () => T,
): { value: T; bad?: undefined } | { bad: BadValue } {
  try {
    return { value: parse() }
  } catch (error) {
    if (!(error instanceof ValueError)) throw error
    const isShown = kind.isSecret !== true && !error.namesText
    return { bad: { shownValue: isShown ? JSON.stringify(given) : '', reason: error.message } }
  }
}
