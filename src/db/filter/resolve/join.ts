import { quoted } from '../../engine/sql.ts'
import type { AnyCollection } from '../../schema/collection.ts'
import { badFilter } from '../language/limits.ts'
import type { Scope } from '../sql/scope.ts'
import type { Context } from './context.ts'

/**
 * Joins the table of a collection; for a client only the rows that its list rule shows.
 * @throws AppError `invalid` when clients may not list the collection at all.
 */
export function joinCollection(
  context: Context,
  scope: Scope,
  key: string,
  collection: AnyCollection,
  on: (alias: string) => string,
): string {
  const rule = context.caller === 'client' ? context.catalog.rulesOf(collection).list : ''
  if (rule === null) throw badFilter(`Only superusers can filter by fields of ${collection.publicName}`)
  return scope.join(key, (alias) => ({
    sql: `${quoted(collection.name)} AS ${alias} ON ${on(alias)}`,
    guard:
      rule === '' ? undefined : `(${alias}."id" IS NULL OR (${context.visible(collection, rule, alias)}))`,
  }))
}
