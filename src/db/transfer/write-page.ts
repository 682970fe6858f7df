import { KIB } from '../../base/index.ts'
import { COLLECTIONS } from '../collections.ts'
import type { Connection } from '../engine/connection.ts'
import type { ExportedPage, ExportPage } from '../engine/export-page.ts'
import { readSelection } from '../engine/selection.ts'
import { createReadTx, type ReadTx } from '../records/tx.ts'
import type { AnyCollection } from '../schema/collection.ts'
import { type AnyRecord, createPlans } from '../schema/plan.ts'

/** Text of a page in UTF-8, after which it ends: a record may be larger. */
const PAGE_BYTES = 256 * KIB

/** The text of a record in an export, with its line end. */
export type RecordEncoder = (
  tx: ReadTx,
  collection: AnyCollection,
  record: AnyRecord,
  page: ExportPage,
) => string

const dependencies = { collections: COLLECTIONS, planOf: createPlans() }

/**
 * Reads the records of a page one by one, so that only one large record is in memory, and writes them until
 * the page is long enough.
 * @throws AppError as `readSelection` does.
 */
export function writePage(
  connection: Connection,
  page: ExportPage,
  { now, encode }: { now: number; encode: RecordEncoder },
): ExportedPage {
  const collection: AnyCollection | undefined = COLLECTIONS.find(({ name }) => name === page.collection)
  if (!collection) throw new TypeError(`there is no collection ${page.collection}`)
  const { tx, end } = createReadTx(connection, dependencies, now)
  try {
    const { ids } = readSelection(tx, { ids: page.ids })
    const lines: Uint8Array[] = []
    let bytes = 0
    let written = 0
    while (written < ids.length && bytes < PAGE_BYTES) {
      const [record] = tx.list(collection, { ids: ids.slice(written, written + 1), without: page.without })
      written += 1
      if (!record) continue
      const line = Buffer.from(encode(tx, collection, record, page))
      lines.push(line)
      bytes += line.byteLength
    }
    const isEnd = written === ids.length && ids.length < page.ids.perPage
    return { text: Buffer.concat(lines), last: isEnd ? undefined : ids[written - 1] }
  } finally {
    end()
  }
}
