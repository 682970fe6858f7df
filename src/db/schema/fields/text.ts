import type { FieldError } from '../../../base/index.ts'
import type { Field, FieldKind, FieldOptions } from '../field.ts'
import { isStorable, plainText } from '../plain-text.ts'

const DEFAULT_MAX = 5_000

interface TextOptions extends FieldOptions {
  /** Characters. */
  readonly min?: number
  /** Characters; 5000 when absent. */
  readonly max?: number
  readonly pattern?: RegExp
  /** No two records share a value; empty values are not compared. */
  readonly unique?: boolean
  readonly default?: string
}

/** Free text. */
interface TextField extends TextOptions, Field {
  readonly kind: FieldKind<TextField, string>
  readonly default?: string
}

const NOT_TEXT: FieldError = { code: 'validation_invalid_format', message: 'Invalid value format.' }

/** PostgreSQL stores neither; SQLite would store the second as another character. */
const UNSTORABLE: FieldError = {
  code: 'validation_invalid_format',
  message: 'Must not contain the character NUL (U+0000) or half of a surrogate pair; remove it.',
}

const textKind: FieldKind<TextField, string> = {
  ...plainText,
  check: textError,
  publicType: 'text',
  publicOptions: ({ min = 0, max = 0, pattern }) => ({ min, max, pattern: pattern?.source ?? '' }),
  isAudited: false,
  isFreeText: true,
}

/** Declares free text. */
export function text(options: TextOptions = {}): TextField {
  return { kind: textKind, ...options }
}

function textError(
  { min = 0, max = DEFAULT_MAX, pattern }: TextField,
  value: unknown,
): FieldError | undefined {
  if (typeof value !== 'string') return NOT_TEXT
  if (!isStorable(value)) return UNSTORABLE
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
