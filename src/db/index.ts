/** The database itself: opening, transactions, schema. Each feature of the store has its own index. */
export { COLLECTIONS, type CollectionName } from './collections.ts'
export type { DatabaseFiles, SharedDatabase } from './engine/engine.ts'
export { mapped, type Values } from './engine/query.ts'
export type { ServerAddress } from './engine/server-address.ts'
export type { SqlReader } from './engine/sql.ts'
export { checkInvariants, type Finding } from './integrity/invariants.ts'
export { repairWidened } from './integrity/widened.ts'
export type { Schema } from './open-database.ts'
export { Lease } from './postgres/lease/lease.ts'
export { acceptStateLoss } from './postgres/lease/note.ts'
export { openServerDatabase } from './postgres/open-database.ts'
export { type DatabasePlace, readDatabase } from './read-database.ts'
export type { Change } from './records/changes.ts'
export { type Database, WRITE_SLICE_MS } from './records/database.ts'
export { type ComputedFrom, MAX_LARGE_BYTES, unreadFields } from './records/page-size.ts'
export { pickedNames, pickFields } from './records/pick-fields.ts'
export { MAX_HELD_BYTES, readSlice, readStored } from './records/stored-values.ts'
export type { ReadTx, Tx } from './records/tx.ts'
export { runReader } from './run-reader.ts'
export type { AnyCollection, RecordOf, Rules } from './schema/collection.ts'
export type { Field, ValueSchema } from './schema/field.ts'
export { date } from './schema/fields/index.ts'
export {
  encodeJson,
  encodeJsonBytes,
  encodeParts,
  JsonText,
  StoredJson,
  textBytes,
} from './schema/json-text.ts'
export { largeFieldsOf } from './schema/large-values.ts'
export type { CollectionNames } from './schema/names.ts'
export { isJsonLargerThan, unreadText, unreadValues } from './schema/unread-json.ts'
export { initialValue } from './schema/values.ts'
export { lockDataFolder } from './sqlite/data-folder.ts'
export { BACKUP_FOLDER, DATABASE_FILE } from './sqlite/database-file.ts'
export { diagnose } from './sqlite/diagnose.ts'
export type { LogLoss } from './sqlite/durability/log-check.ts'
export { type DatabaseOptions, openDatabase } from './sqlite/open-database.ts'
