import { type AnyCollection, columnOf } from '../schema/collection.ts'
import type { AnyField } from '../schema/field.ts'
import { emptyValue, encoded, normalized } from '../schema/values.ts'
import { type Bindable, type Params, quoted } from '../sqlite/sql.ts'

/**
 * A row that is not stored, as SQL to select from: what was submitted, brought into the form in which columns
 * hold it, and empty values for the rest. Validation has not seen it yet, so nothing is refused here.
 */
export function candidateRow(
  collection: AnyCollection,
  values: Readonly<Record<string, unknown>>,
): { sql: string; params: Params } {
  const params: Record<string, Bindable> = {}
  const columns = ['id', 'created', 'updated'].map((name, index) => {
    params[`v${index}`] = typeof values[name] === 'string' ? values[name] : ''
    return `CAST($v${index} AS TEXT) AS ${quoted(name)}`
  })
  for (const [name, field] of Object.entries(collection.fields)) {
    const parameter = `v${columns.length}`
    params[parameter] = storedForm(field, Object.hasOwn(values, name) ? values[name] : undefined)
    // The type of the stored column decides how it is compared.
    columns.push(`CAST($${parameter} AS ${typeOf(field)}) AS ${quoted(columnOf(name, field))}`)
  }
  return { sql: `(SELECT ${columns.join(', ')})`, params }
}

function storedForm(field: AnyField, value: unknown): Bindable {
  const normal = normalized(field, value)
  const usable = typeof normal === 'number' && !Number.isFinite(normal) ? emptyValue(field) : normal
  const isMisplaced = typeof usable === 'object' && field.kind !== 'json' && field.kind !== 'relations'
  const stored = encoded(field, isMisplaced ? JSON.stringify(usable) : usable) ?? null
  return typeof stored === 'number' && !Number.isFinite(stored) ? 0 : stored
}

function typeOf(field: AnyField): string {
  switch (field.kind) {
    case 'number':
      return field.integer ? 'INTEGER' : 'REAL'
    case 'seconds':
    case 'bool':
      return 'INTEGER'
    default:
      return 'TEXT'
  }
}
