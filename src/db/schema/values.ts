import { type FieldError, fromTimestamp, toTimestamp } from '../../base/index.ts'
import type { Bindable } from '../sqlite/sql.ts'
import type { AnyField } from './field.ts'

const DEFAULT_TEXT_MAX = 5_000
const DEFAULT_JSON_BYTES = 1_048_576
const DEFAULT_RELATIONS_MAX = 999
const EMAIL = /^[^\s@"<>()[\],;:\\]+@[^\s@.]+(\.[^\s@.]+)+$/

/** The value of a field that nobody has set. */
export function initialValue(field: AnyField): unknown {
  switch (field.kind) {
    case 'text':
    case 'choice':
      return field.default ?? ''
    case 'number':
      return field.default ?? 0
    case 'bool':
      return field.default ?? false
    default:
      return emptyValue(field)
  }
}

/** The value that counts as blank for a field. */
export function emptyValue(field: AnyField): unknown {
  switch (field.kind) {
    case 'number':
    case 'seconds':
      return 0
    case 'bool':
      return false
    case 'relations':
      return []
    case 'json':
      return null
    default:
      return ''
  }
}

/** Brings input of a caller into the form of the field's value; what cannot be brought is left for `fieldError`. */
export function normalized(field: AnyField, input: unknown): unknown {
  if (input === null || input === undefined || isEmptyList(field, input)) return emptyValue(field)
  switch (field.kind) {
    case 'number':
    case 'seconds':
      return numberFrom(input)
    case 'bool':
      return input === true || input === 1 || input === 'true' || input === '1'
    case 'date':
      return dateFrom(input)
    case 'relation':
      return Array.isArray(input) ? (input.at(-1) ?? '') : input
    case 'relations':
      return [...new Set(Array.isArray(input) ? input : [input])].filter((id) => id !== '')
    case 'json':
      return input
    case 'email':
      // Nobody has two addresses that differ in case only.
      return typeof input === 'string' ? input.trim().toLowerCase() : input
    default:
      return typeof input === 'number' || typeof input === 'boolean' ? String(input) : input
  }
}

/** Where one value belongs, a list without values is none. */
function isEmptyList({ kind }: AnyField, input: unknown): boolean {
  return Array.isArray(input) && input.length === 0 && kind !== 'json' && kind !== 'relations'
}

/** Whether a normalised value has the type that hooks of its collection may count on. */
export function hasType({ kind }: AnyField, value: unknown): boolean {
  switch (kind) {
    case 'number':
    case 'seconds':
      return typeof value === 'number'
    case 'bool':
      return typeof value === 'boolean'
    case 'relations':
      return Array.isArray(value) && value.every((id) => typeof id === 'string')
    case 'json':
      return true
    default:
      return typeof value === 'string'
  }
}

function numberFrom(input: unknown): unknown {
  if (typeof input === 'boolean') return Number(input)
  // Not -0, which would not count as blank.
  if (typeof input !== 'string') return input === 0 ? 0 : input
  return input.trim() === '' ? 0 : Number(input)
}

function dateFrom(input: unknown): string {
  const ms = typeof input === 'string' ? fromTimestamp(input) : undefined
  return ms === undefined ? '' : toTimestamp(ms)
}

/** Why a normalised value is refused, or undefined. Existence of related records is checked by the caller. */
export function fieldError(field: AnyField, value: unknown): FieldError | undefined {
  if (Bun.deepEquals(value, emptyValue(field))) return field.required ? BLANK : undefined
  switch (field.kind) {
    case 'text':
      return textError(value, field.min ?? 0, field.max ?? DEFAULT_TEXT_MAX, field.pattern)
    case 'email':
      return typeof value === 'string' && value.length <= 254 && EMAIL.test(value) ? undefined : NOT_EMAIL
    case 'number':
      return numberError(value, field.min, field.max, field.integer === true)
    case 'seconds':
      return numberError(value, field.min, undefined, false)
    case 'choice':
      return field.choices.some((each) => each === value) ? undefined : invalidValue(value)
    case 'relation':
      return typeof value === 'string' ? undefined : MISSING_RELATION
    case 'relations':
      return relationsError(value, field.max ?? DEFAULT_RELATIONS_MAX)
    default:
      return undefined
  }
}

/** Why the stored form of a value is refused, or undefined: JSON is measured as it is written. */
export function storedError(field: AnyField, stored: Bindable | undefined): FieldError | undefined {
  if (field.kind !== 'json') return undefined
  if (stored === undefined) return { code: 'validation_invalid_json', message: 'Must be a valid json value.' }
  const maxBytes = field.maxBytes ?? DEFAULT_JSON_BYTES
  if (typeof stored !== 'string' || Buffer.byteLength(stored) <= maxBytes) return undefined
  return {
    code: 'validation_json_size_limit',
    message: `The maximum allowed JSON size is ${maxBytes} bytes.`,
    params: { max: maxBytes },
  }
}

const BLANK: FieldError = { code: 'validation_required', message: 'Cannot be blank.' }
const NOT_EMAIL: FieldError = { code: 'validation_is_email', message: 'Must be a valid email address.' }
const NOT_TEXT: FieldError = { code: 'validation_invalid_format', message: 'Invalid value format.' }

/** The error of a relation whose target does not exist. */
export const MISSING_RELATION: FieldError = {
  code: 'validation_missing_rel_records',
  message: 'Failed to find all relation records with the provided ids.',
}

/** The error of a value that another record has already. */
export const NOT_UNIQUE: FieldError = { code: 'validation_not_unique', message: 'Value must be unique.' }

/** The error of an id that has the wrong form or is taken. */
export const BAD_ID: FieldError = {
  code: 'validation_pk_invalid',
  message: 'The record primary key is invalid or already exists.',
}

function textError(value: unknown, min: number, max: number, pattern?: RegExp): FieldError | undefined {
  if (typeof value !== 'string') return NOT_TEXT
  // Characters as people count them, so that an emoji is one.
  const length = value.length > max || value.length < min * 2 ? [...value].length : value.length
  if (length < min) {
    return {
      code: 'validation_min_text_constraint',
      message: `Must be at least ${min} character(s).`,
      params: { min },
    }
  }
  if (length > max) {
    return {
      code: 'validation_max_text_constraint',
      message: `Must be no more than ${max} character(s).`,
      params: { max },
    }
  }
  return pattern && !pattern.test(value) ? NOT_TEXT : undefined
}

function numberError(
  value: unknown,
  min: number | undefined,
  max: number | undefined,
  integer: boolean,
): FieldError | undefined {
  if (typeof value !== 'number' || !Number.isFinite(value)) {
    return { code: 'validation_not_a_number', message: 'The submitted value is not a number.' }
  }
  if (integer && !Number.isSafeInteger(value)) {
    return { code: 'validation_only_int_constraint', message: 'Decimal numbers are not allowed.' }
  }
  if (min !== undefined && value < min) {
    return {
      code: 'validation_min_number_constraint',
      message: `Must be greater or equal than ${min}.`,
      params: { min },
    }
  }
  if (max !== undefined && value > max) {
    return {
      code: 'validation_max_number_constraint',
      message: `Must be less or equal than ${max}.`,
      params: { max },
    }
  }
  return undefined
}

function invalidValue(value: unknown): FieldError {
  const shown = typeof value === 'string' ? value.slice(0, 100) : typeof value
  return { code: 'validation_invalid_value', message: `Invalid value ${shown}.` }
}

function relationsError(value: unknown, max: number): FieldError | undefined {
  if (!Array.isArray(value) || value.some((id) => typeof id !== 'string')) return MISSING_RELATION
  if (value.length <= max) return undefined
  return { code: 'validation_too_many_values', message: `Select no more than ${max}.`, params: { max } }
}

/** A valid value as its column stores it; undefined for what JSON cannot write, such as a function. */
export function encoded(field: AnyField, value: unknown): Bindable | undefined {
  switch (field.kind) {
    case 'seconds':
      return Math.round(Number(value) * 1_000)
    case 'number':
      return Number(value)
    case 'bool':
      return value === true ? 1 : 0
    case 'relations':
      return JSON.stringify(value)
    case 'json':
      return value === null ? null : JSON.stringify(value)
    default:
      return String(value)
  }
}

/** The value that a column holds. */
export function decoded(field: AnyField, stored: unknown): unknown {
  switch (field.kind) {
    case 'seconds':
      return Number(stored) / 1_000
    case 'bool':
      return stored === 1
    case 'relations':
      return JSON.parse(String(stored))
    case 'json':
      return stored === null ? null : JSON.parse(String(stored))
    default:
      return stored
  }
}
