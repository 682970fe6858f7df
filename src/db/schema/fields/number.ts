import type { FieldError } from '../../../base/index.ts'
import type { Field, FieldKind, FieldOptions, ValueModifier } from '../field.ts'
import { isUnset, plainText } from '../plain-text.ts'

interface NumberOptions extends FieldOptions {
  /** Refuses fractions. */
  readonly integer?: boolean
  /** Not applied to 0, the empty value; the same goes for `max`. */
  readonly min?: number
  readonly max?: number
  readonly default?: number
}

/** A number. */
export interface NumberField extends NumberOptions, Field {
  readonly kind: FieldKind<NumberField, number>
  readonly default?: number
}

/** The behavior of numbers, which seconds start from. */
export const numberKind: FieldKind<NumberField, number> = {
  ...plainText,
  columnType: ({ integer }) => (integer ? 'INTEGER' : 'REAL'),
  columnConstraints: (field) => `NOT NULL DEFAULT ${field.default ?? 0}`,
  encode: Number,
  decode: Number,

  emptyValue: () => 0,
  normalize: numberFrom,
  isValue: (value) => typeof value === 'number',
  check: numberError,

  comparable,

  publicType: 'number',
  publicOptions: ({ min = null, max = null, integer = false }) => ({ min, max, onlyInt: integer }),
  schema: () => ({ type: 'number' }),
  isAudited: true,
  fromFormText: (text) => (/^-?\d+(\.\d+)?$/.test(text.trim()) ? Number(text) : text),
  modify: modified,
}

/** Declares a number. */
export function number(options: NumberOptions = {}): NumberField {
  return { kind: numberKind, ...options }
}

/** Declares a whole number. */
export function integer(options: Omit<NumberOptions, 'integer'> = {}): NumberField {
  return number({ integer: true, ...options })
}

function numberFrom(input: unknown): unknown {
  if (isUnset(input)) return 0
  if (typeof input === 'boolean') return Number(input)
  // Not -0, which JSON text does not have.
  if (typeof input !== 'string') return input === 0 ? 0 : input
  return input.trim() === '' ? 0 : Number(input)
}

/** Why a value is no number in the range of its field, or undefined. */
export function numberError(
  { min, max, integer = false }: Pick<NumberOptions, 'min' | 'max' | 'integer'>,
  value: unknown,
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

function comparable(sent: unknown): unknown {
  if (typeof sent !== 'string' || sent.trim() === '') return sent
  const parsed = Number(sent)
  return Number.isFinite(parsed) ? parsed : sent
}

function modified(modifier: ValueModifier, value: unknown, operand: unknown): unknown {
  if (modifier === 'prepend') return undefined
  const by = summand(operand)
  return addExactly(summand(value), modifier === 'subtract' ? -by : by)
}

/** The number that is given; otherwise NaN, as is every sum with it, which validation refuses. */
function summand(given: unknown): number {
  const number = numberFrom(given)
  return typeof number === 'number' ? number : Number.NaN
}

/** Sums of decimal fractions as people expect them: 0.1 + 0.2 = 0.3. */
function addExactly(one: number, other: number): number {
  const sum = one + other
  const rounded = Math.round(sum * 1e6) / 1e6
  return Number.isFinite(rounded) && Math.abs(sum) < 1e9 ? rounded : sum
}
