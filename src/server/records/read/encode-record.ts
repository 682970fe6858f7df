import { encodeJson, pickFields } from '../../../db/index.ts'
import type { PageWriter } from '../../../db/query/index.ts'
import { csvLine, type RecordEncoder, writePage } from '../../../db/transfer/index.ts'
import { presentRecord } from '../../http/response/present-record.ts'
import type { Values } from '../behavior.ts'
import { behaviorOf } from '../behaviors/index.ts'

/** A record in an export as superusers see it: a line of CSV or of JSON. Runs in a reader process. */
const encodeRecord: RecordEncoder = (tx, collection, record, { format, fields, columns, publicName }) => {
  const shown = presentRecord(collection, record, { publicName: () => publicName }, { isSuperuser: true })
  const [computed] = behaviorOf(collection).computed?.(tx, [record]) ?? []
  const picked = pickedRecord({ ...shown, ...computed }, fields)
  return format === 'csv' ? csvLine(columns, picked) : `${oneLine(encodeJson(picked))}\n`
}

/** The parts of a record that `fields` selects. */
export function pickedRecord(record: Values, fields: string): Values {
  const picked = pickFields(record, fields)
  return typeof picked === 'object' && picked !== null ? { ...picked } : {}
}

/**
 * Values are inserted as they are stored; outside of texts, a line break of JSON means as much as a blank.
 */
function oneLine(json: string): string {
  return json.replace(/[\r\n]/g, ' ')
}

/** Reads and writes a page of an export; runs in a reader process. */
export const writeExportPage: PageWriter = (connection, page, now) =>
  writePage(connection, page, { now, encode: encodeRecord })
