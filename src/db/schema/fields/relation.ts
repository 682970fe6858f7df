import { quoted } from '../../engine/sql.ts'
import type { Field, FieldKind, FieldOptions } from '../field.ts'
import { MISSING_RELATION } from '../field-errors.ts'
import { isStorable, plainText } from '../plain-text.ts'
import { type Reference, referenceToOne } from '../reference.ts'

/** What happens when a referenced record is removed; the reference is cleared by default. */
export interface RemovalOptions extends FieldOptions {
  /** Removing the other record, or the last one of a list, removes this one too. */
  readonly cascade?: boolean
  /** Keeps the id: for logs, which record history, and where an empty field has another meaning. */
  readonly keep?: boolean
}

/** The id of one record of another collection or ''. */
interface RelationField extends RemovalOptions, Field {
  readonly kind: FieldKind<RelationField, string>
  readonly reference: Reference
}

const relationKind: FieldKind<RelationField, string> = {
  ...plainText,
  // A required relation is never '', so that SQLite itself guards it.
  columnConstraints: ({ required, reference }) =>
    required
      ? `NOT NULL REFERENCES ${quoted(reference.to)} ("id") ON DELETE RESTRICT`
      : "NOT NULL DEFAULT ''",
  normalize: (input) => (Array.isArray(input) ? (input.at(-1) ?? '') : (input ?? '')),
  check: (_field, value) => (isStorable(value) ? undefined : MISSING_RELATION),
  items: 'one',

  publicType: 'relation',
  publicOptions: ({ cascade = false }) => ({ maxSelect: 1, cascadeDelete: cascade }),
  schema: ({ reference }) => ({ type: 'string', description: `Id in ${reference.to}; '' = none` }),
  isAudited: true,
}

/** Declares the id of a record of the collection `to`. */
export function relation(to: string, options: RemovalOptions = {}): RelationField {
  return { kind: relationKind, reference: referenceToOne(to, onRemoveOf(options)), ...options }
}

export function onRemoveOf({ keep, cascade, required }: RemovalOptions): Reference['onRemove'] {
  if (keep) return 'keep'
  if (cascade) return 'cascade'
  return required ? 'restrict' : 'clear'
}
