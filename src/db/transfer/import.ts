import { basename } from 'node:path'
import { AppError, isObject, newId, reasonOf } from '../../base/index.ts'
import { COLLECTIONS } from '../collections.ts'
import { isConstraintViolation, isUniqueViolation } from '../engine/failure.ts'
import { quoted } from '../engine/sql.ts'
import { checkInvariants } from '../integrity/invariants.ts'
import { appendAudit } from '../journal/audit.ts'
import { appendTimeline, type JobEvent } from '../journal/timeline.ts'
import type { Database } from '../records/database.ts'
import type { Tx } from '../records/tx.ts'
import type { AnyCollection } from '../schema/collection.ts'
import { splitLarge } from '../schema/large-values.ts'
import type { CollectionNames } from '../schema/names.ts'
import { type AnyRecord, createPlans, type Plan } from '../schema/plan.ts'
import { keyed } from '../schema/tables.ts'
import { type ImportContext, readImported } from './imported.ts'
import { type Line, readLines } from './lines.ts'

/** An error in a line; line 0 = the file as a whole. */
interface LineError {
  line: number
  text: string
}

/** The result of an import: nothing was stored when there are errors. */
interface ImportReport {
  /** Records by collection. */
  counts: Record<string, number>
  /** In the order of lines, at most 100. */
  errors: LineError[]
}

interface ImportOptions extends Pick<ImportContext, 'readPayload'> {
  /** A file of JSON lines, `{"collection": "users", …fields}` each. */
  path: string
  /** Progress callback, called with the line number every 10,000 lines. */
  onProgress?(line: number): void
}

const MAX_ERRORS = 100
/** SQLite reads no deeper value: one that is stored would fail every filter and roll-up that reads it. */
const MAX_LEVELS = 1_000
const PROGRESS_LINES = 10_000

/** Rolls the transaction back. */
class ImportRejected extends Error {}

/**
 * Adds the records of a file in one transaction, with their ids and times. Fields are validated; hooks do not
 * run and no change is published. Relations may refer to later lines. Balances become ledger entries, jobs
 * that have ended are marked as imported, others enter the queue. Afterwards every invariant of stored data
 * holds.
 * @throws AppError `conflict` when the database violates an invariant already; `invalid` for an unreadable
 *   file.
 */
export async function importRecords(db: Database, options: ImportOptions): Promise<ImportReport> {
  const broken = await db.read((tx) => checkInvariants(tx))
  if (broken.length > 0) {
    const names = broken.map(({ id, text }) => `${id}: ${text}`).join('; ')
    throw new AppError(
      'conflict',
      `The database violates invariants before the import (${names}); run svc doctor`,
    )
  }
  const report: ImportReport = { counts: {}, errors: [] }
  try {
    await db.write('import', (tx) => {
      importLines(tx, db.names, options, report)
      const { counts } = report
      appendAudit(tx, { actor: 'import', action: 'import', subject: basename(options.path), detail: counts })
    })
  } catch (error) {
    if (!(error instanceof ImportRejected)) throw error
    const sorted = report.errors.toSorted((one, other) => one.line - other.line)
    return { counts: {}, errors: sorted.slice(0, MAX_ERRORS) }
  }
  return report
}

const IMPORTED = keyed(
  'imported',
  { collection: 'TEXT NOT NULL', id: 'TEXT NOT NULL', line: 'INTEGER NOT NULL' },
  ['PRIMARY KEY (collection, id)'],
)

function importLines(tx: Tx, names: CollectionNames, options: ImportOptions, report: ImportReport): void {
  const { counts, errors } = report
  const planOf = createPlans()
  const context = { at: tx.at, nextId: createIds(tx.now), readPayload: options.readPayload }
  // Relations may refer to later lines, so foreign keys are checked at the commit.
  tx.run(tx.dialect.deferReferences)
  tx.run(tx.dialect.temporaryTable(IMPORTED))
  for (const line of readLines(options.path)) {
    const collection = importLine(tx, { line, names, planOf, context, errors })
    if (collection) counts[collection.name] = (counts[collection.name] ?? 0) + 1
    if (errors.length >= MAX_ERRORS) throw new ImportRejected()
    if (line.number % PROGRESS_LINES === 0) options.onProgress?.(line.number)
  }
  for (const collection of COLLECTIONS) addMissingRelations(tx, collection, errors)
  if (errors.length > 0) throw new ImportRejected()
  settleBalances(tx)
  addBrokenInvariants(tx, errors)
  if (errors.length > 0) throw new ImportRejected()
  tx.run('DROP TABLE imported')
}

interface LineContext {
  line: Line
  names: CollectionNames
  planOf: (collection: AnyCollection) => Plan
  context: ImportContext
  errors: LineError[]
}

/** Stores one record; on an error in its line, adds the error and returns undefined. */
function importLine(
  tx: Tx,
  { line, names, planOf, context, errors }: LineContext,
): AnyCollection | undefined {
  const refuse = (text: string) => void errors.push({ line: line.number, text })
  let given: unknown
  try {
    given = JSON.parse(line.text)
  } catch (error) {
    return refuse(`malformed JSON (${reasonOf(error)})`)
  }
  if (!isObject(given)) return refuse('expected a JSON object')
  if (isDeeper(given, MAX_LEVELS)) return refuse('nested deeper than 1,000 levels')
  const name = String(given['collection'] ?? given['collectionName'] ?? '')
  const collection = COLLECTIONS.find((each) => each.name === name) ?? names.byPublicName(name)
  if (!collection) {
    const known = COLLECTIONS.map((each) => each.name).join(', ')
    return refuse(`collection: there is no collection "${name}"; expected one of ${known}`)
  }
  const { record, errors: found } = readImported(collection, given, context)
  for (const [key, message] of found) refuse(`${collection.name}.${key}: ${message}`)
  const plan = planOf(collection)
  const isFirst = tx.run(
    'INSERT INTO imported (collection, id, line) VALUES ($collection, $id, $line) ON CONFLICT DO NOTHING',
    { collection: collection.name, id: record.id, line: line.number },
  )
  if (isFirst === 0) return refuse(`${collection.name}.id: ${record.id} is in the file already`)
  if (found.size > 0) return undefined
  try {
    insertRow(tx, collection, plan, record)
  } catch (error) {
    return refuse(violationOf(error, collection))
  }
  if (collection.name === 'quantum_jobs') recordImportedJob(tx, record)
  return collection
}

/** Why the table does not take a record. @throws `error` when it is another one, such as of a full disk. */
function violationOf(error: unknown, { name }: AnyCollection): string {
  if (isUniqueViolation(error)) return `${error.columns.join(', ')}: another record has this value`
  if (isConstraintViolation(error)) return `${name}: cannot be stored (${error.message})`
  throw error
}

/** Whether a JSON value has lists and objects in each other on more than so many levels. */
function isDeeper(value: unknown, levels: number): boolean {
  if (typeof value !== 'object' || value === null) return false
  return levels === 0 || Object.values(value).some((each) => isDeeper(each, levels - 1))
}

function insertRow(tx: Tx, collection: AnyCollection, plan: Plan, record: AnyRecord): void {
  const { id, created, updated } = record
  const fields = plan.fields.map(([name, field]) => [name, field.kind.encode(record[name]) ?? null] as const)
  const { row, saveLarge } = splitLarge(collection, Object.fromEntries(fields))
  tx.attempt(plan.insert([]), { ...row, id, created, updated })
  saveLarge(tx, id)
}

/** Starts the timeline. A job that ended elsewhere has neither attempts nor a charge here. */
function recordImportedJob(tx: Tx, job: AnyRecord): void {
  const isPending = job['status'] === 'pending'
  const event: JobEvent = isPending ? 'submitted' : 'imported'
  const entry = { event, attempt: Number(job['attempt']), detail: isPending ? 'imported' : '' }
  appendTimeline(tx, job.id, entry)
}

/**
 * Ids that each use another millisecond: among hundreds of thousands in one millisecond, the random parts
 * would collide.
 */
function createIds(now: number): () => string {
  let made = 0
  return () => {
    made += 1
    return newId(now + made)
  }
}

/** Relations of imported records that refer to neither a stored nor a rejected record. */
function addMissingRelations(tx: Tx, collection: AnyCollection, errors: LineError[]): void {
  for (const [name, { reference }] of Object.entries(collection.fields)) {
    if (!reference || reference.onRemove === 'keep') continue
    const [table, target] = [quoted(collection.name), quoted(reference.to)]
    const { value, join, condition } = reference.each(tx.dialect, `${table}.${quoted(name)}`)
    const each =
      `SELECT line, ${value} AS value FROM imported JOIN ${table} USING (id) ${join} ` +
      `WHERE ${condition} AND collection = $collection`
    const missing = tx.all<{ line: number; value: string }>(
      `SELECT line, value FROM (${each}) named
       WHERE NOT EXISTS (SELECT 1 FROM ${target} WHERE id = named.value)
         AND NOT EXISTS (SELECT 1 FROM imported WHERE collection = $to AND id = named.value)
       ORDER BY line LIMIT ${MAX_ERRORS}`,
      { collection: collection.name, to: reference.to },
    )
    for (const { line, value } of missing.slice(0, MAX_ERRORS - errors.length)) {
      errors.push({
        line,
        text: `${collection.name}.${name}: there is no record ${value} in ${reference.to}`,
      })
    }
  }
}

/**
 * Ledger entries of imported records: a user starts with the imported balance, which already contains the
 * approved requests.
 */
function settleBalances(tx: Tx): void {
  const users = tx.all<{ id: string; ms: number }>(
    `SELECT id, qpu_ms AS ms FROM users JOIN imported USING (id) WHERE collection = 'users' AND qpu_ms <> 0`,
  )
  for (const { id, ms } of users) addLedger(tx, { user: id, kind: 'opening', source: id, ms })
  const grants = tx.all<{ id: string; user: string; ms: number }>(
    `SELECT id, "user", ${tx.dialect.rounded('seconds * 1000')} AS ms FROM qpu_time_requests
     JOIN imported USING (id) WHERE collection = 'qpu_time_requests' AND status = 'approved'`,
  )
  for (const { id, user, ms } of grants) {
    addLedger(tx, { user, kind: 'grant', source: id, ms })
    addLedger(tx, { user, kind: 'opening', source: id, ms: 0 - ms })
  }
}

interface Booking {
  user: string
  kind: 'opening' | 'grant'
  source: string
  ms: number
}

/** Unlike `postLedger`, does not change the balance, which was imported as it is. */
function addLedger(tx: Tx, { user, kind, source, ms }: Booking): void {
  tx.run(
    `INSERT INTO qpu_ledger ("user", kind, source_id, delta_ms, at)
     VALUES ($user, $kind, $source, $ms, $at)`,
    { user, kind, source, ms, at: tx.at },
  )
}

function addBrokenInvariants(tx: Tx, errors: LineError[]): void {
  for (const { text, rows } of checkInvariants(tx)) {
    for (const row of rows) {
      const id = String(row['id'] ?? row['job'] ?? '')
      const found = tx.one<{ line: number; collection: string }>(
        'SELECT line, collection FROM imported WHERE id = $id ORDER BY line DESC',
        { id },
      )
      const what = found ? `${found.collection} ${id}` : JSON.stringify(row)
      errors.push({ line: found?.line ?? 0, text: `${what}: ${text}` })
    }
  }
}
