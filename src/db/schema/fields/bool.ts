import type { Field, FieldKind, FieldOptions } from '../field.ts'
import { plainText } from '../plain-text.ts'

interface BoolOptions extends FieldOptions {
  readonly default?: boolean
}

/** True or false. */
interface BoolField extends BoolOptions, Field {
  readonly kind: FieldKind<BoolField, boolean>
  readonly default?: boolean
}

const boolKind: FieldKind<BoolField, boolean> = {
  ...plainText,
  columnType: () => 'INTEGER',
  columnConstraints: (field, column) =>
    `NOT NULL DEFAULT ${field.default ? 1 : 0} CHECK (${column} IN (0, 1))`,
  encode: (value) => (value === true ? 1 : 0),
  decode: (stored) => stored === 1,

  emptyValue: () => false,
  normalize: (input) => input === true || input === 1 || input === 'true' || input === '1',
  isValue: (value) => typeof value === 'boolean',
  check: () => undefined,

  publicType: 'bool',
  publicOptions: () => ({}),
  schema: () => ({ type: 'boolean' }),
  isAudited: true,
  fromFormText: (text) => text === 'true' || text === '1',
}

/** Declares true or false. */
export function bool(options: BoolOptions = {}): BoolField {
  return { kind: boolKind, ...options }
}
