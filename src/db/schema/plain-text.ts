import type { Field, FieldKind } from './field.ts'

/** What each kind states for itself, even when it stores text. */
type OwnBehavior = 'check' | 'publicType' | 'publicOptions' | 'isAudited'

/** The behavior of a column of plain text, from which the kinds of fields start. */
export const plainText: Omit<FieldKind<Field, string>, OwnBehavior> = {
  columnName: (_field, name) => name,
  columnType: () => 'TEXT',
  columnConstraints: () => "NOT NULL DEFAULT ''",
  encode: String,
  decode: String,
  storedError: () => undefined,
  isLarge: () => false,
  isBalance: false,

  emptyValue: () => '',
  normalize: textFrom,
  isValue: (value) => typeof value === 'string',
  formatError: () => undefined,

  items: 'none',
  isDocument: false,
  filterSql: (stored) => stored,
  comparable: (sent) => sent,

  schema: () => ({ type: 'string' }),
  isPersonal: false,
  isFreeText: false,
  fromFormText: (text) => text,
  modify: () => undefined,
}

/** Whether a value is text that PostgreSQL stores, too: without NUL and halves of surrogate pairs. */
export function isStorable(value: unknown): value is string {
  return typeof value === 'string' && !value.includes('\0') && value.isWellFormed()
}

/** Whether input stands for no value: null, undefined, or `[]` where a single value belongs. */
export function isUnset(input: unknown): boolean {
  return input === null || input === undefined || (Array.isArray(input) && input.length === 0)
}

function textFrom(input: unknown): unknown {
  if (isUnset(input)) return ''
  return typeof input === 'number' || typeof input === 'boolean' ? String(input) : input
}
