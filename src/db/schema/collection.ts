import type { SqlWriter } from '../engine/sql.ts'
import type { Field, LargeField, ValueOf } from './field.ts'

/** Declared fields by name. */
export type Fields = Readonly<Record<string, Field>>

/** Keys of every record. */
interface SystemKeys {
  /** 15 characters of `0-9a-z` that sort by creation time. */
  id: string
  created: string
  updated: string
}

type Values<F extends Fields> = { -readonly [K in keyof F]: ValueOf<F[K]> } & SystemKeys

/** The record type derived from a collection's declaration; see `LargeField`. */
export type RecordOf<C extends AnyCollection> = Omit<Values<C['fields']>, LargeNames<C['fields']>> &
  SystemKeys &
  LargeMembers<C['fields']>

type LargeNames<F extends Fields> = {
  [K in keyof F]: F[K] extends LargeField<unknown> ? K : never
}[keyof F]
type LargeMembers<F extends Fields> = {
  [K in keyof F]: F[K] extends LargeField<infer M> ? (members: M) => void : never
}[keyof F] extends (members: infer M) => void
  ? M
  : never

/** Filter texts; `null` = superusers only, `''` = everybody. */
export interface Rules {
  readonly list: string | null
  readonly view: string | null
  readonly create: string | null
  readonly update: string | null
  readonly remove: string | null
}

/** Fields of an index, or the long form for unique and partial ones. */
type Index =
  | readonly string[]
  | { readonly on: readonly string[]; readonly unique?: boolean; readonly where?: string }

/** What hooks do in the transaction: SQL, and changes of other records, which are published. */
export interface HookTx extends SqlWriter {
  find<C extends AnyCollection>(collection: C, id: string): RecordOf<C> | undefined
  insert<C extends AnyCollection>(collection: C, values: Partial<RecordOf<C>>): RecordOf<C>
  update<C extends AnyCollection>(
    collection: C,
    id: string,
    patch: Partial<RecordOf<C>>,
  ): RecordOf<C> | undefined
}

/**
 * Functions that run inside the writing transaction. Each may throw an AppError, which rolls the whole
 * transaction back.
 */
interface Hooks<F extends Fields = Fields> {
  /** Before validation; may change `record`. */
  beforeInsert?(step: { tx: HookTx; record: Values<F> }): void
  /** After the row was inserted. */
  afterInsert?(step: { tx: HookTx; record: Values<F> }): void
  /** Before validation; may change `after`. */
  beforeUpdate?(step: { tx: HookTx; before: Values<F>; after: Values<F> }): void
  beforeRemove?(step: { tx: HookTx; record: Values<F> }): void
}

/** One kind of record: its table, its fields and its access rules. */
interface Collection<N extends string = string, F extends Fields = Fields> {
  /** Table name. */
  readonly name: N
  /** Default public name; `database.names.publicName(collection)` returns the configured one. */
  readonly publicName: string
  /** `auth` collections hold accounts that can log in. */
  readonly type: 'base' | 'auth'
  readonly fields: F
  readonly rules: Rules
  readonly indexes: readonly Index[]
  /** Columns beside the fields, as types and constraints in SQL, which only statements of the store use. */
  readonly columns: Readonly<Record<string, string>>
  /** Conditions in SQL across columns that every stored record meets, by name. */
  readonly checks: Readonly<Record<string, string>>
  readonly hooks: Hooks<F>
  /**
   * Relation to the user who owns a record. Of all users only the owner searches its large values, which
   * count for the owner's stored bytes; see `stored-bytes.ts`.
   */
  readonly owner: string | undefined
  /** JSON field with a list of texts by which the owner finds records; see `lists/list-entries.ts`. */
  readonly searchedList: string | undefined
}

/** Any collection, for code that interprets declarations. */
export type AnyCollection = Collection

interface Declaration<N extends string, F extends Fields> {
  name: N
  publicName?: string
  type?: 'base' | 'auth'
  fields: F
  rules: Rules
  indexes?: readonly Index[]
  columns?: Readonly<Record<string, string>>
  /** A stored table takes a new one by a migration that looks for rows that break it. */
  checks?: Readonly<Record<string, string>>
  hooks?: Hooks<F>
  owner?: string & keyof F
  searchedList?: string & keyof F
}

/**
 * Declares a collection. Its table, row type, validation, public routes and reference page are derived from
 * it.
 * @throws TypeError when a name cannot be that of a table or column.
 */
export function defineCollection<const N extends string, F extends Fields>(
  declaration: Declaration<N, F>,
): Collection<N, F> {
  for (const name of [declaration.name, ...Object.keys(declaration.fields)]) {
    if (!/^[a-z][A-Za-z0-9_]{0,62}$/.test(name)) throw new TypeError(`"${name}" cannot be a table or column`)
  }
  return {
    name: declaration.name,
    publicName: declaration.publicName ?? declaration.name,
    type: declaration.type ?? 'base',
    fields: declaration.fields,
    rules: declaration.rules,
    indexes: declaration.indexes ?? [],
    columns: declaration.columns ?? {},
    checks: declaration.checks ?? {},
    hooks: declaration.hooks ?? {},
    owner: declaration.owner,
    searchedList: declaration.searchedList,
  }
}

/** Column that stores a field. */
export function columnOf(name: string, field: Field): string {
  return field.kind.columnName(field, name)
}
