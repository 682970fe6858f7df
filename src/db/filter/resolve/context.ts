import { type AnyCollection, columnOf, type Rules } from '../../schema/collection.ts'
import type { Field } from '../../schema/field.ts'
import { date, text } from '../../schema/fields/index.ts'
import type { CollectionNames } from '../../schema/names.ts'
import type { Binder, Fan, Scope } from '../sql/scope.ts'

/** Who wrote a text: rules may use everything, clients only what they may list. */
export type Caller = 'rule' | 'client' | 'superuser'

/** The declarations that a text may name. */
export interface Catalogue {
  readonly collections: readonly AnyCollection[]
  readonly names: CollectionNames
  /** The rules in force: the declared ones, unless settings replace them. */
  rulesOf(collection: AnyCollection): Rules
}

/** A question about every related record: its own joins, and whether it is asked again for each shared row. */
export interface EveryCheck {
  readonly fans: readonly Fan[]
  readonly perShared: boolean
}

/** What all parts of one condition share while it is compiled. */
export interface Context {
  readonly catalogue: Catalogue
  readonly caller: Caller
  readonly binder: Binder
  /** The collection of the record in question, and the alias of its row. */
  readonly collection: AnyCollection
  readonly alias: string
  /** The account's collection; undefined for guests. */
  readonly authCollection: AnyCollection | undefined
  /** Collects the questions about every related record. */
  readonly every: EveryCheck[]
  newAlias(): string
  newScope(): Scope
  /** What must hold for a joined row that the caller may only see by this rule. */
  visible(collection: AnyCollection, rule: string, alias: string): string
}

const SYSTEM_FIELDS: ReadonlyMap<string, Field> = new Map<string, Field>([
  ['id', text()],
  ['created', date()],
  ['updated', date()],
])

/** A field that the caller may name, with its column; `hidden` when only others may. */
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
  return field.hidden && caller === 'client' ? 'hidden' : { field, column: columnOf(name, field) }
}

/** The collection that a text calls `name`: by its public name; rules in declarations also by its table's. */
export function collectionByName(
  { catalogue, caller }: Pick<Context, 'catalogue' | 'caller'>,
  name: string,
): AnyCollection | undefined {
  return catalogue.names.byPublicName(name) ?? (caller === 'rule' ? collectionOf(catalogue, name) : undefined)
}

/** The collection whose table is `name`. */
export function collectionOf({ collections }: Catalogue, name: string): AnyCollection | undefined {
  return collections.find((collection) => collection.name === name)
}
