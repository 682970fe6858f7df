import type { Dialect } from '../../engine/dialect.ts'
import { quoted } from '../../engine/sql.ts'
import type { Trigger } from '../../engine/table.ts'
import type { AnyCollection } from '../collection.ts'

/**
 * The table of a list field holds one row for each entry of the list: the owner of the record, the entry and
 * the record's `seq`. It finds the records of a user by an entry, newest first. Triggers keep it, so that no
 * statement that changes a record can miss it.
 */

/** Name of the table with the entries of a list field. */
export function entriesTableOf({ name }: AnyCollection, field: string): string {
  return `${name}_${field}`
}

/** The triggers that keep the entries of the list field `field`, whose records belong to `owner`. */
export function entryTriggers(
  { jsonItems }: Dialect,
  collection: AnyCollection,
  field: string,
  owner: string,
): Trigger[] {
  const entries = quoted(entriesTableOf(collection, field))
  const [list, user] = [quoted(field), quoted(owner)]
  const add = `INSERT INTO ${entries} ("user", "entry", "seq")
    SELECT NEW.${user}, "value", NEW."seq" FROM ${jsonItems(`NEW.${list}`)} WHERE "value" IS NOT NULL
    ON CONFLICT DO NOTHING`
  const remove = `DELETE FROM ${entries} WHERE ("user", "entry", "seq") IN
    (SELECT OLD.${user}, "value", OLD."seq" FROM ${jsonItems(`OLD.${list}`)})`
  const trigger = (on: string, event: string, when: string, body: readonly string[]) => {
    return { name: `${collection.name}_${field}_${on}`, event, table: collection.name, when, body }
  }
  const has = (row: string) => `${row}.${list} IS NOT NULL`
  return [
    trigger('insert', 'AFTER INSERT', has('NEW'), [add]),
    trigger('delete', 'AFTER DELETE', has('OLD'), [remove]),
    trigger('update', `AFTER UPDATE OF ${list}, ${user}`, `${has('OLD')} OR ${has('NEW')}`, [remove, add]),
  ]
}
