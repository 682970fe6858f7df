import * as v from 'valibot'
import { AppError, type FieldError, isUnknownKey, unknownKey } from '../../../base/index.ts'

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

function fieldError(issue: v.BaseIssue<unknown>, schema: v.GenericSchema): FieldError {
  if (isUnknownKey(issue)) return { code: 'unknown_field', message: unknownFieldOf(issue, schema) }
  if (issue.input === undefined && issue.kind === 'schema') {
    return { code: 'validation_required', message: 'Cannot be blank.' }
  }
  const received = issue.received === 'undefined' ? '' : ` (got ${issue.received.slice(0, 80)})`
  const code = CODES[issue.type] ?? 'validation_invalid_value'
  if (issue.type === 'non_empty') return { code, message: 'Cannot be blank.' }
  // The message of an issue is ours where the schema states one, as each pattern does.
  const expected = issue.type === 'regex' ? null : expectation(issue)
  return { code, message: expected ? `Expected ${expected}${received}.` : `${issue.message}.` }
}

function unknownFieldOf({ input, path }: v.BaseIssue<unknown>, schema: v.GenericSchema): string {
  const isTop = path?.length === 1 && 'entries' in schema && typeof schema.entries === 'object'
  const known = isTop ? Object.keys(schema.entries ?? {}) : []
  const message = unknownKey(String(input), known)
  return message.endsWith('?') ? `U${message.slice(1)}` : `U${message.slice(1)}.`
}

/** What an issue expects, in the words of a client. */
function expectation({ type, expected, requirement, input }: v.BaseIssue<unknown>): string | null {
  const unit = typeof input === 'string' ? 'characters' : 'items'
  if (type === 'min_value') return `at least ${requirement}`
  if (type === 'max_value') return `at most ${requirement}`
  if (type === 'min_length') return `at least ${requirement} ${unit}`
  if (type === 'max_length') return `at most ${requirement} ${unit}`
  if (type === 'picklist') return `one of ${expected?.replace(/[()"]/g, '').replaceAll(' | ', ', ')}`
  return KINDS[expected ?? ''] ?? expected
}

/** JSON values by the names that valibot gives them. */
const KINDS: Record<string, string> = {
  Array: 'a list',
  Object: 'an object',
  string: 'a text',
  number: 'a number',
  boolean: 'true or false',
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
    fields[path] ??= fieldError(issue, schema)
  }
  throw new AppError('invalid', message, { fields })
}
