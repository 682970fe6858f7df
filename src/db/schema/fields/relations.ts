import type { FieldError } from '../../../base/index.ts'
import type { Field, FieldKind, ValueModifier } from '../field.ts'
import { MISSING_RELATION } from '../field-errors.ts'
import { isStorable, plainText } from '../plain-text.ts'
import { type Reference, referenceToMany } from '../reference.ts'
import { onRemoveOf, type RemovalOptions } from './relation.ts'

const DEFAULT_MAX = 999

interface RelationsOptions extends RemovalOptions {
  /** Number of ids; 999 when absent. */
  readonly max?: number
}

/** Ids of several records of another collection, in order, without repetition. */
interface RelationsField extends RelationsOptions, Field {
  readonly kind: FieldKind<RelationsField, string[]>
  readonly reference: Reference
}

const relationsKind: FieldKind<RelationsField, string[]> = {
  ...plainText,
  columnConstraints: () => "NOT NULL DEFAULT '[]'",
  encode: (value) => JSON.stringify(value),
  decode: (stored) => JSON.parse(String(stored)),

  emptyValue: () => [],
  normalize: listFrom,
  isValue: areIds,
  check: ({ max = DEFAULT_MAX }, value) => (areIds(value) ? countError(value, max) : MISSING_RELATION),

  items: 'many',

  publicType: 'relation',
  publicOptions: ({ max = DEFAULT_MAX, cascade = false }) => ({ maxSelect: max, cascadeDelete: cascade }),
  schema: () => ({ type: 'array', items: { type: 'string' } }),
  isAudited: true,
  modify: modified,
}

/** Declares ids of records of the collection `to`. */
export function relations(to: string, options: RelationsOptions = {}): RelationsField {
  return { kind: relationsKind, reference: referenceToMany(to, onRemoveOf(options)), ...options }
}

function listFrom(input: unknown): unknown[] {
  const items = Array.isArray(input) ? input : [input ?? '']
  return [...new Set(items)].filter((id) => id !== '')
}

function areIds(value: unknown): value is string[] {
  return Array.isArray(value) && value.every(isStorable)
}

function countError(ids: readonly string[], max: number): FieldError | undefined {
  if (ids.length <= max) return undefined
  return { code: 'validation_too_many_values', message: `Select no more than ${max}.`, params: { max } }
}

function modified(modifier: ValueModifier, value: unknown, operand: unknown): unknown[] {
  const ids = listFrom(value)
  const sent = listFrom(operand)
  switch (modifier) {
    case 'add':
      return [...new Set([...ids, ...sent])]
    case 'prepend':
      return [...new Set([...sent, ...ids])]
    case 'subtract':
      return ids.filter((id) => !sent.includes(id))
  }
}
