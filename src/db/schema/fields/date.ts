import { type FieldError, fromTimestamp, toTimestamp } from '../../../base/index.ts'
import type { Field, FieldKind, FieldOptions } from '../field.ts'
import { plainText } from '../plain-text.ts'

/** A time as `2026-01-31 09:05:00.000Z` (UTC) or ''. */
interface DateField extends Field {
  readonly kind: FieldKind<DateField, string>
}

/** The error of text that no time can be read from. */
export const NOT_A_TIME: FieldError = {
  code: 'validation_invalid_date',
  message: 'Must be a UTC time such as 2026-01-31 09:05:00.000Z.',
}

const dateKind: FieldKind<DateField, string> = {
  ...plainText,
  normalize: timeFrom,
  check: () => undefined,
  formatError: (input) => (isBlank(input) || timeFrom(input) !== '' ? undefined : NOT_A_TIME),
  publicType: 'date',
  publicOptions: () => ({}),
  schema: () => ({ type: 'string', description: "UTC, as 2026-01-31 09:05:00.000Z; '' = not set" }),
  isAudited: true,
}

/** Declares a time. */
export function date(options: FieldOptions = {}): DateField {
  return { kind: dateKind, ...options }
}

function timeFrom(input: unknown): string {
  const ms = typeof input === 'string' ? fromTimestamp(input) : undefined
  return ms === undefined ? '' : toTimestamp(ms)
}

function isBlank(input: unknown): boolean {
  return input === undefined || input === null || input === ''
}
