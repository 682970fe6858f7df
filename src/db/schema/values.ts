import type { FieldError } from '../../base/index.ts'
import type { Field, ValueOrigin } from './field.ts'
import { BLANK } from './field-errors.ts'

/** The value of a field in a record that does not set it. */
export function initialValue({ kind, default: value }: Field): unknown {
  return value ?? kind.emptyValue()
}

/** Why a normalized value is refused, or undefined. The caller checks that related records exist. */
export function fieldError(
  field: Field,
  value: unknown,
  origin: ValueOrigin = 'write',
): FieldError | undefined {
  if (isEmpty(field, value)) return field.required ? BLANK : undefined
  return field.kind.check(field, value, origin)
}

function isEmpty({ kind }: Field, value: unknown): boolean {
  const empty = kind.emptyValue()
  return Array.isArray(empty) ? Array.isArray(value) && value.length === 0 : value === empty
}
