import type { FieldKind, FieldOptions } from '../field.ts'
import { type NumberField, numberError, numberKind } from './number.ts'

interface SecondsOptions extends FieldOptions {
  /** Column that stores the milliseconds. */
  readonly column: string
  readonly min?: number
}

/**
 * Seconds with at most 3 decimals for callers, whole milliseconds in `column`; changed only through the
 * ledger.
 */
interface SecondsField extends SecondsOptions, NumberField {
  readonly kind: FieldKind<SecondsField, number>
}

/** In milliseconds a safe integer. */
const MAX_SECONDS = 9e12

const secondsKind: FieldKind<SecondsField, number> = {
  ...numberKind,
  columnName: ({ column }) => column,
  columnType: () => 'INTEGER',
  columnConstraints: () => 'NOT NULL DEFAULT 0',
  encode: (value) => Math.round(Number(value) * 1_000),
  decode: (stored) => Number(stored) / 1_000,
  isBalance: true,

  // The last job before an export may have taken the balance below its minimum.
  check: ({ min }, value, origin) =>
    numberError({ min: origin === 'import' ? -MAX_SECONDS : (min ?? -MAX_SECONDS), max: MAX_SECONDS }, value),

  // CAST keeps the type of a number column, to which SQLite converts numeric texts.
  filterSql: (stored, { real }) => real(`${stored} / 1000.0`),

  publicOptions: ({ min = null }) => ({ min, max: null, onlyInt: false }),
}

/** Declares seconds that are stored as whole milliseconds in `column`. */
export function seconds(options: SecondsOptions): SecondsField {
  return { kind: secondsKind, ...options }
}
