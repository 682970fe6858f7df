import { type Bindable, type Params, quoted } from '../engine/sql.ts'
import type { Reads } from '../filter/index.ts'
import { type AnyCollection, columnOf } from '../schema/collection.ts'
import type { FieldKind } from '../schema/field.ts'
import { JsonText } from '../schema/json-text.ts'

/**
 * Characters of JSON values and, multiplied by the length of the pattern, of texts that a test of a row
 * reads: a few ms of the event loop.
 */
const MAX_SEARCHED = 1_000_000
/** Reading a character of JSON takes as long as comparing two of a text. */
const PARSING = 2
/** Length assumed for a text or a pattern of another record. */
const UNKNOWN_CHARACTERS = 5_000

/** A row that is not stored, as SQL to select from, with its parameters. */
interface CandidateRow {
  readonly sql: string
  readonly params: Params
  /** Whether a condition with these reads searches more of the row than the event loop has time for. */
  isTooLong(reads: Reads): boolean
}

/**
 * A row that is not stored, as SQL to select from: submitted values in the form in which columns store them,
 * and empty values for the other fields. The values are not validated yet, so nothing is refused here.
 */
export function candidateRow(
  collection: AnyCollection,
  values: Readonly<Record<string, unknown>>,
): CandidateRow {
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
  const lengthOf = (field: string | undefined) =>
    field === undefined ? UNKNOWN_CHARACTERS : (lengths.get(field) ?? 0)
  const isTooLong = ({ documents, matches }: Reads) => {
    const parsed = [...documents].reduce((sum, name) => sum + PARSING * lengthOf(name), 0)
    const matched = matches.reduce(
      (sum, { field, characters = UNKNOWN_CHARACTERS }) => sum + characters * lengthOf(field),
      0,
    )
    return parsed + matched > MAX_SEARCHED
  }
  return { sql, params, isTooLong }
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
