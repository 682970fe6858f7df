import type { FieldError } from '../../../base/index.ts'
import { MIB } from '../../../base/index.ts'
import type { Bindable } from '../../engine/sql.ts'
import type { Field, FieldKind, FieldOptions, LargeField } from '../field.ts'
import { jsonTextOf } from '../json-text.ts'
import { plainText } from '../plain-text.ts'

/**
 * JSON texts with more bytes are stored outside of their row, whose other columns are then read without them.
 */
export const MAX_ROW_BYTES = MIB
const DEFAULT_MAX_BYTES = MIB

interface JsonOptions extends FieldOptions {
  /** Bytes of the JSON text in UTF-8; 1 MiB when absent. */
  readonly maxBytes?: number
}

/** Any JSON value; null when unset. */
interface JsonField extends JsonOptions, Field {
  readonly kind: FieldKind<JsonField>
}

const jsonKind: FieldKind<JsonField> = {
  ...plainText,
  columnConstraints: () => '',
  encode: (value) => (value === null ? null : jsonTextOf(value)),
  decode: (stored) => (stored === null ? null : JSON.parse(String(stored))),
  storedError,
  isLarge: ({ maxBytes = DEFAULT_MAX_BYTES }) => maxBytes > MAX_ROW_BYTES,

  emptyValue: () => null,
  normalize: (input) => input ?? null,
  isValue: (_value): _value is unknown => true,
  check: () => undefined,

  isDocument: true,
  filterSql: (stored, { jsonTyped }) => jsonTyped(stored, "'$'"),

  publicType: 'json',
  publicOptions: ({ maxBytes = 0 }) => ({ maxSize: maxBytes }),
  schema: () => ({}),
  isAudited: false,
  fromFormText: jsonOrText,
}

/** Declares any JSON value; one that may have more than 1 MiB with `largeJson`. */
export function json(options: JsonOptions = {}): JsonField {
  return { kind: jsonKind, ...options }
}

/** Declares a JSON value that may be too large for its row; `members`: the class with its accessor. */
export function largeJson<M>(
  members: LargeField<M>['members'],
  options: JsonOptions & { maxBytes: number },
): JsonField & LargeField<M> {
  return { ...json(options), members }
}

/** Measures the text that is stored. */
function storedError(
  { maxBytes = DEFAULT_MAX_BYTES }: JsonField,
  stored: Bindable | undefined,
): FieldError | undefined {
  if (stored === undefined) return { code: 'validation_invalid_json', message: 'Must be a valid json value.' }
  const isText = typeof stored === 'string' || stored instanceof Uint8Array
  if (!isText || Buffer.byteLength(stored) <= maxBytes) return undefined
  return {
    code: 'validation_json_size_limit',
    message: `The maximum allowed JSON size is ${maxBytes} bytes.`,
    params: { max: maxBytes },
  }
}

function jsonOrText(text: string, parseJson: (text: string) => unknown): unknown {
  if (text.trim() === '') return null
  try {
    return parseJson(text)
  } catch {
    return text
  }
}
