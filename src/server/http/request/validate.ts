import * as v from 'valibot'
import { AppError, type FieldError } from '../../../base/index.ts'

const CODES: Record<string, string> = {
  min_length: 'validation_length_out_of_range',
  max_length: 'validation_length_too_long',
  max_bytes: 'validation_length_too_long',
  non_empty: 'validation_required',
  min_value: 'validation_min_number_constraint',
  max_value: 'validation_max_number_constraint',
  integer: 'validation_only_int_constraint',
  number: 'validation_not_a_number',
  picklist: 'validation_in_invalid',
  email: 'validation_is_email',
}

function fieldError(issue: v.BaseIssue<unknown>): FieldError {
  if (issue.input === undefined && issue.kind === 'schema') {
    return { code: 'validation_required', message: 'Cannot be blank.' }
  }
  const received = issue.received === 'undefined' ? '' : ` (got ${issue.received.slice(0, 80)})`
  const expected = issue.expected ? `Expected ${issue.expected}${received}.` : `${issue.message}.`
  return { code: CODES[issue.type] ?? 'validation_invalid_value', message: expected }
}

/** Values of an input of which every invalid one is reported. */
const MAX_REPORTED = 2_000

/** Whether an input has few values, counted until there are too many. */
function isSmall(input: unknown): boolean {
  let count = 0
  const visit = (value: unknown): boolean => {
    count += 1
    if (count > MAX_REPORTED || (Array.isArray(value) && value.length > MAX_REPORTED)) return false
    return typeof value !== 'object' || value === null || Object.values(value).every(visit)
  }
  return visit(input)
}

/**
 * Parses `input` by `schema`.
 * @throws AppError `invalid` with every invalid field under its dotted path; only the first one of a large
 *   input, where a million problems would take seconds.
 */
export function validate<Schema extends v.GenericSchema>(
  schema: Schema,
  input: unknown,
  message = 'Invalid request body',
): v.InferOutput<Schema> {
  const first = v.safeParse(schema, input, { abortEarly: true })
  if (first.success) return first.output
  const result = isSmall(input) ? v.safeParse(schema, input) : first
  if (result.success) return result.output
  const fields: Record<string, FieldError> = {}
  for (const issue of result.issues) {
    const path = v.getDotPath(issue) ?? 'body'
    fields[path] ??= fieldError(issue)
  }
  throw new AppError('invalid', message, { fields })
}
