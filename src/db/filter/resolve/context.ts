import type { Dialect } from '../../engine/dialect.ts'
import { type AnyCollection, columnOf, type Rules } from '../../schema/collection.ts'
import type { Field } from '../../schema/field.ts'
import { date, text } from '../../schema/fields/index.ts'
import type { CollectionNames } from '../../schema/names.ts'
import type { Reads } from '../sql/reads.ts'
import type { Binder, Scope } from '../sql/scope.ts'

/** Who wrote a filter: rules may use every field, clients only those that they may list. */
export type Caller = 'rule' | 'client' | 'superuser'

/** The declarations that a filter may refer to. */
export interface Catalog {
  /** The SQL of the database that the condition is for. */
  readonly dialect: Dialect
  readonly collections: readonly AnyCollection[]
  readonly names: CollectionNames
  /** The rules in force: the declared ones, unless settings replace them. */
  rulesOf(collection: AnyCollection): Rules
}

/** The state shared by all parts of one condition while it is compiled. */
export interface Context {
  readonly catalog: Catalog
  readonly caller: Caller
  readonly binder: Binder
  /** The collection of the tested record, and the alias of its row. */
  readonly collection: AnyCollection
  readonly alias: string
  /** The collection of the caller's account; undefined for guests. */
  readonly authCollection: AnyCollection | undefined
  /** Collects what testing a row reads. */
  readonly reads: Reads
  newAlias(): string
  newScope(): Scope
  /** The condition under which this rule shows a joined row to the caller. */
  visible(collection: AnyCollection, rule: string, alias: string): string
}

const SYSTEM_FIELDS: ReadonlyMap<string, Field> = new Map<string, Field>([
  ['id', text()],
  ['created', date()],
  ['updated', date()],
])

/** A field that the caller may use, with its column; `hidden` when only others may use it. */
export function fieldOf(
  { caller }: Pick<Context, 'caller'>,
  collection: AnyCollection,
  name: string,
): { field: Field; column: string } | 'hidden' | undefined {
  const system = SYSTEM_FIELDS.get(name)
  if (system) return { field: system, column: name }
  if (!Object.hasOwn(collection.fields, name)) return undefined
  const field = collection.fields[name]
  if (!field || (field.internal && caller !== 'rule')) return undefined
  const isForSuperusers = field.hidden === true || field.ownOnly === true
  return isForSuperusers && caller === 'client' ? 'hidden' : { field, column: columnOf(name, field) }
}

/** The collection with the public name `name`; rules in declarations may also use its table name. */
export function collectionByName(
  { catalog, caller }: Pick<Context, 'catalog' | 'caller'>,
  name: string,
): AnyCollection | undefined {
  return catalog.names.byPublicName(name) ?? (caller === 'rule' ? collectionOf(catalog, name) : undefined)
}

/** The collection whose table is `name`. */
export function collectionOf({ collections }: Catalog, name: string): AnyCollection | undefined {
  return collections.find((collection) => collection.name === name)
}
