import type { FieldError } from '../../base/index.ts'
import type { Dialect } from '../engine/dialect.ts'
import type { Bindable } from '../engine/sql.ts'
import type { Reference } from './reference.ts'

/** What a declaration may say about a field of any kind. */
export interface FieldOptions {
  /** Refuses the empty value of the kind ('', 0, false, [], null). */
  readonly required?: boolean
  /** Never shown to callers who are not superusers. */
  readonly hidden?: boolean
  /**
   * A list of users of which callers who are not superusers see only their own id. They cannot use it in a
   * filter, sort or expand, which would reveal the others.
   */
  readonly ownOnly?: boolean
  /** Never shown through any API. */
  readonly internal?: boolean
  /** Set by the server only; a value in a request body is refused. */
  readonly readOnly?: boolean
  /** One sentence for the reference pages and the admin form. */
  readonly help?: string
}

/** A declared field: its options, and the kind that interprets them. */
export interface Field extends FieldOptions {
  readonly kind: FieldKind
  /** Value of a new record that does not set the field; the empty value of the kind when absent. */
  readonly default?: unknown
  /** No two records share a value; empty values are not compared. */
  readonly unique?: boolean
  /** The records that the value refers to; absent when it does not hold ids. */
  readonly reference?: Reference
}

/**
 * A field whose values may be too large for their row. It is an accessor of the class `M`: TypeScript knows
 * that a spread of a record has none of these, which at runtime are not enumerable; see `unread-json.ts`.
 */
export interface LargeField<M> extends Field {
  readonly members: { readonly prototype: M }
}

/** The TypeScript type of a field's value. */
export type ValueOf<F extends Field> = F extends { readonly choices: readonly (infer T)[] }
  ? T
  : ReturnType<F['kind']['decode']>

/**
 * Everything that distinguishes one kind of field from the others, for fields `F` with values of type `V`.
 *
 * To add a kind, write `fields/<kind>.ts` with the interface of its fields, one object of this type, and the
 * function that declares a field; start from `plainText` to state only what differs. Then export the function
 * from `fields/index.ts`, and add a sample to its test. Database, filters, import and HTTP API read the
 * object; no code compares kinds, which `check-source` enforces.
 *
 * Code that handles any field calls `field.kind.member(field, ...)`, always with the field's own kind.
 * Members do not use `this`, so that a plan may store them.
 */
export interface FieldKind<F extends Field = Field, V = unknown>
  extends ColumnBehavior<F, V>,
    ValueBehavior<F, V>,
    FilterBehavior,
    PublicBehavior<F> {}

/** How SQLite stores the values. */
interface ColumnBehavior<F extends Field, V> {
  /** Column that stores the field `name`. */
  columnName(field: F, name: string): string
  columnType(field: F): ColumnType
  /** What follows the type in the definition of `column`, a quoted name. */
  columnConstraints(field: F, column: string): string
  /** A valid value as the column stores it; undefined for what JSON cannot express, such as a function. */
  encode(value: unknown): Bindable | undefined
  /** The value of what the column stores. */
  decode(stored: unknown): V
  /** Why the stored form is refused, or undefined. */
  storedError(field: F, stored: Bindable | undefined): FieldError | undefined
  /** Whether a value may be too large for its row; see `large-values.ts`. */
  isLarge(field: F): boolean
  /**
   * Whether only the ledger changes the value: a plain write would make the balance and its ledger disagree.
   */
  readonly isBalance: boolean
}

type ColumnType = 'TEXT' | 'INTEGER' | 'REAL'

/** What values a field takes. */
interface ValueBehavior<F extends Field, V> {
  /** The value that counts as blank. */
  emptyValue(): V
  /**
   * Brings the input of a caller into the form of a value: null, undefined and, unless the value is a list or
   * JSON, `[]` become the empty value. Input that has no such form is returned for `check` to refuse.
   */
  normalize(input: unknown): unknown
  /** Whether a normalized value has the type that hooks of its collection rely on. */
  isValue(value: unknown): value is V
  /** Why a normalized value that is not empty is refused, or undefined. */
  check(field: F, value: unknown, origin: ValueOrigin): FieldError | undefined
  /** Why an import refuses input that `normalize` would silently replace by the empty value, or undefined. */
  formatError(input: unknown): FieldError | undefined
}

/** An import takes over values that earlier writes produced; a few checks apply to new values only. */
export type ValueOrigin = 'write' | 'import'

/** How filters and rules compare the values. */
interface FilterBehavior {
  /** How many ids or choices a value has, for `:each` and `:length`. */
  readonly items: 'none' | 'one' | 'many'
  /** Whether the value is JSON: NULL when unset, and a path in a filter leads into it. */
  readonly isDocument: boolean
  /** The value to compare, from a reference to the stored one. */
  filterSql(stored: string, dialect: Dialect): string
  /** A value of a request body in the type to compare; forms send numbers as text. */
  comparable(sent: unknown): unknown
}

/** What callers of the HTTP API see and send. */
interface PublicBehavior<F extends Field> {
  /** The kind and its options as clients of the record-store pattern know them. */
  readonly publicType: string
  publicOptions(field: F): Readonly<Record<string, unknown>>
  /** The values in the API reference. */
  schema(field: F): ValueSchema
  /** Whether a response may lack the value, since its owner decides who sees it. */
  readonly isPersonal: boolean
  /** Whether people write its values as they like, within a length. */
  readonly isFreeText: boolean
  /**
   * Whether the audit log records old and new values: not of texts, which may be names, addresses and hashes
   * of secrets, and not of JSON, which may be large.
   */
  readonly isAudited: boolean
  /** The value of a text in a form. `parseJson` throws for malformed or too deeply nested JSON. */
  fromFormText(text: string, parseJson: (text: string) => unknown): unknown
  /** The outcome of `name+`, `name-` or `+name` in a body; undefined when the kind lacks the modifier. */
  modify(modifier: ValueModifier, value: unknown, operand: unknown): unknown
}

/** `name+`, `name-` and `+name`. */
export type ValueModifier = 'add' | 'subtract' | 'prepend'

/** The part of JSON Schema that describes values of fields; without `type`, any JSON. */
export interface ValueSchema {
  readonly type?: 'string' | 'number' | 'boolean' | 'array'
  readonly enum?: readonly string[]
  readonly items?: ValueSchema
  readonly description?: string
}
