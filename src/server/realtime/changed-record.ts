import { type AnyCollection, isJsonLargerThan, pickedNames, type RecordOf } from '../../db/index.ts'
import { OMITTED, type ValueTexts } from './encode-change.ts'
import { RECORD_BYTES } from './limits.ts'

type Row = RecordOf<AnyCollection>

/** The record of a change without values that are too large for what it is used for. */
export interface ChangedRecord {
  /**
   * For the test of a rule and a filter with this text: without JSON that it does not refer to, and without
   * JSON above `recordBytes.plain`.
   */
  forTest(text: string): Row
  /**
   * For an event with these `fields`: `OMITTED` in place of JSON above `recordBytes.plain`, or above
   * `recordBytes.asked` if `fields` names it.
   */
  forEvent(fields: string): { row: Row; maxBytes: number; texts: ValueTexts }
}

/** Measures each value once for all subscribers; values that nobody receives are not parsed. */
export function changedRecord(collection: AnyCollection, record: Row): ChangedRecord {
  const { plain, asked } = RECORD_BYTES
  const documents = Object.entries(collection.fields).flatMap(([name, { kind }]) =>
    kind.isDocument ? [name] : [],
  )
  const large = documents.filter((name) => isJsonLargerThan(record, name, plain))
  const tooLarge = new Map<string, boolean>()
  const texts: ValueTexts = new WeakMap()

  /** The record with `replacement`, if any, in place of the values of `without`, which are not read. */
  function copy(without: readonly string[], replacement?: symbol): Row {
    const row: Row = { id: record.id, created: record.created, updated: record.updated }
    for (const name of Object.keys(collection.fields)) {
      if (!without.includes(name)) row[name] = record[name]
      else if (replacement) row[name] = replacement
    }
    return row
  }

  function isTooLarge(name: string): boolean {
    const known = tooLarge.get(name) ?? isJsonLargerThan(record, name, asked)
    tooLarge.set(name, known)
    return known
  }

  const plainRow = copy(large, OMITTED)
  return {
    forTest: (text) => copy([...large, ...documents.filter((name) => !text.includes(name))]),
    forEvent(fields) {
      const names = pickedNames(fields)
      const wanted = large.filter((name) => names?.has(name))
      if (wanted.length === 0) return { row: plainRow, maxBytes: plain, texts }
      const without = large.filter((name) => !wanted.includes(name) || isTooLarge(name))
      return { row: copy(without, OMITTED), maxBytes: asked, texts }
    },
  }
}
