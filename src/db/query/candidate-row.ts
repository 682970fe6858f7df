import { type AnyCollection, columnOf } from '../schema/collection.ts'
import type { FieldKind } from '../schema/field.ts'
import { JsonText } from '../schema/json-text.ts'
import { type Bindable, type Params, quoted } from '../sqlite/sql.ts'

/**
 * A row that is not stored, as SQL to select from: submitted values in the form in which columns store them,
 * and empty values for the other fields. The values are not validated yet, so nothing is refused here.
 * `lengthOf` = characters of a stored text.
 */
export function candidateRow(
  collection: AnyCollection,
  values: Readonly<Record<string, unknown>>,
): { sql: string; params: Params; lengthOf(field: string): number } {
  const params: Record<string, Bindable> = {}
  const lengths = new Map<string, number>()
  const columns = ['id', 'created', 'updated'].map((name, index) => {
    params[`v${index}`] = typeof values[name] === 'string' ? values[name] : ''
    return `CAST($v${index} AS TEXT) AS ${quoted(name)}`
  })
  for (const [name, field] of Object.entries(collection.fields)) {
    const parameter = `v${columns.length}`
    const stored = storedForm(field.kind, Object.hasOwn(values, name) ? values[name] : undefined)
    params[parameter] = stored
    const isText = typeof stored === 'string' || stored instanceof Uint8Array
    lengths.set(name, isText ? stored.length : 0)
    // The type of the stored column decides how it is compared.
    columns.push(`CAST($${parameter} AS ${field.kind.columnType(field)}) AS ${quoted(columnOf(name, field))}`)
  }
  const sql = `(SELECT ${columns.join(', ')})`
  return { sql, params, lengthOf: (field) => lengths.get(field) ?? 0 }
}

/**
 * The stored form of input that may be invalid: a number that is not finite becomes 0, a misplaced object its
 * JSON.
 */
function storedForm(kind: FieldKind, value: unknown): Bindable {
  const empty = kind.emptyValue()
  const normal = kind.normalize(value)
  const usable = typeof normal === 'number' && !Number.isFinite(normal) ? empty : normal
  if (usable instanceof JsonText) return usable.bytes ?? usable.text
  const isMisplaced = typeof usable === 'object' && typeof empty !== 'object'
  const stored = kind.encode(isMisplaced ? JSON.stringify(usable) : usable) ?? null
  return typeof stored === 'number' && !Number.isFinite(stored) ? 0 : stored
}
