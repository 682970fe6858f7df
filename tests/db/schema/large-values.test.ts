import { expect, test } from 'bun:test'
import { join } from 'node:path'
import { silentLog } from '../../../src/base/index.ts'
import { COLLECTIONS } from '../../../src/db/collections.ts'
import { openDatabase } from '../../../src/db/index.ts'
import { createRecordQueries } from '../../../src/db/query/index.ts'
import { inSteps } from '../../../src/db/records/page-size.ts'
import { largeTextOf } from '../../../src/db/records/stored-values.ts'
import type { ReadTx } from '../../../src/db/records/tx.ts'
import type { AnyCollection } from '../../../src/db/schema/collection.ts'
import { MAX_ROW_BYTES } from '../../../src/db/schema/fields/index.ts'
import { JsonText, StoredJson } from '../../../src/db/schema/json-text.ts'
import { largeFieldsOf } from '../../../src/db/schema/large-values.ts'
import { createPlans } from '../../../src/db/schema/plan.ts'
import { isJsonLargerThan, unreadText, unreadValues } from '../../../src/db/schema/unread-json.ts'
import { writeBackup } from '../../../src/db/sqlite/backup/index.ts'
import { calibrationResults } from '../../../src/db/store/calibrations/index.ts'
import { quantumJobs } from '../../../src/db/store/jobs/index.ts'
import { stripCalibrationResult } from '../../../src/db/store/maintenance/index.ts'
import { readPage } from '../../../src/db/transfer/pages.ts'
import { openTestDatabase, type TestDatabase } from '../../support/database.ts'
import { ended } from '../../support/ended-job.ts'
import { onlySqlite } from '../../support/postgres/only-sqlite.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'
import { ALL, ROOT } from '../filter/library.ts'
import { listNow } from '../filter/list.ts'

/** JSON text of a value whose text has exactly `bytes` bytes, two per character. */
const ofBytes = (bytes: number) => ({ x: 'µ'.repeat((bytes - 8) / 2) })
const SMALL = ofBytes(MAX_ROW_BYTES)
const LARGE = ofBytes(MAX_ROW_BYTES + 2)
const TEXT = JSON.stringify(LARGE)

function outside({ db }: TestDatabase): Promise<{ record: string; field: string }[]> {
  return db.read((tx) => tx.all('SELECT record, field FROM quantum_jobs_large ORDER BY record, field'))
}

test('values above 1 MiB are stored outside of their row and read like any other', async () => {
  await using test = await openTestDatabase()
  const { db } = test
  expect(Buffer.byteLength(JSON.stringify(SMALL))).toBe(MAX_ROW_BYTES)
  const { id } = await db.write('insert', (tx) =>
    tx.insert(quantumJobs, { payload: LARGE, results: SMALL, ...ended() }),
  )
  expect(await outside(test)).toEqual([{ record: id, field: 'payload' }])
  const inRow = await db.read((tx) =>
    tx.one('SELECT payload IS NULL AS moved, octet_length(results) AS bytes FROM quantum_jobs'),
  )
  expect(inRow).toEqual({ moved: 1, bytes: MAX_ROW_BYTES })
  const read = await db.read((tx) => ({
    found: tx.find(quantumJobs, id),
    listed: tx.list(quantumJobs, { without: { results: '' } })[0],
  }))
  expect(Bun.deepEquals(read.found?.payload, LARGE)).toBe(true)
  expect(Bun.deepEquals(read.listed?.payload, LARGE)).toBe(true)
  expect(read.listed?.results).toBeNull()
})

test('a copy by spreading has no large value, parses none, and its type says so', async () => {
  await using test = await openTestDatabase()
  const added = await test.db.write('insert', (tx) => tx.insert(quantumJobs, { payload: new JsonText(TEXT) }))
  const read = (tx: ReadTx, most?: number) => tx.find(quantumJobs, added.id, most) ?? added
  const [found, short] = await test.db.read((tx) => [read(tx), read(tx, 1_024)] as const)
  for (const job of [added, found, short]) {
    const { status, ...rest } = job
    // @ts-expect-error: a copy is not a whole job.
    const copy: typeof job = { ...job }
    // @ts-expect-error: so that whoever needs its program reads it from the job.
    expect([status, rest.payload, copy.payload]).toEqual(['pending', undefined, undefined])
    expect(copy.id).toBe(added.id)
    expect(unreadValues(job)?.has('payload')).toBe(true)
  }
  expect(found.payload).toEqual(JSON.parse(TEXT))
})

test('each field with large values is declared as one', () => {
  const fields = COLLECTIONS.flatMap((each: AnyCollection) =>
    largeFieldsOf(each).map((name) => each.fields[name]),
  )
  expect(fields.map((field) => field && 'members' in field)).toEqual(fields.map(() => true))
})

test('a value that changes moves in and out of its row, and is deleted with it', async () => {
  await using test = await openTestDatabase()
  const { db } = test
  const { id } = await db.write('insert', (tx) => tx.insert(quantumJobs, { payload: {} }))
  for (const results of [LARGE, SMALL, LARGE, null, LARGE]) {
    await db.write('update', (tx) => tx.update(quantumJobs, id, { results }))
    const found = await db.read((tx) => tx.find(quantumJobs, id))
    expect(Bun.deepEquals(found?.results, results)).toBe(true)
    expect(await outside(test)).toHaveLength(results === LARGE ? 1 : 0)
  }
  // A change of other fields does not affect it.
  await db.write('update', (tx) => tx.update(quantumJobs, id, { error_code: 'x' }))
  expect(await outside(test)).toHaveLength(1)
  await db.write('remove', (tx) => tx.remove(quantumJobs, id))
  expect(await outside(test)).toEqual([])
})

test('nothing remains of a value when its transaction fails', async () => {
  await using test = await openTestDatabase()
  const failing = test.db.write('fail', (tx) => {
    tx.insert(quantumJobs, { payload: LARGE })
    throw new Error('no')
  })
  await expect(failing).rejects.toThrow('no')
  expect(await outside(test)).toEqual([])
})

test('a change of other fields neither parses nor writes large values', async () => {
  await using test = await openTestDatabase()
  const { db } = test
  const inRow = { text: 'x'.repeat(MAX_ROW_BYTES / 2) }
  const { id } = await db.write('insert', (tx) => tx.insert(quantumJobs, { payload: LARGE, results: inRow }))
  const changes: unknown[] = []
  db.changes.subscribe((published) => changes.push(...published.map(({ record }) => record)))
  const after = await db.write('update', (tx) => tx.update(quantumJobs, id, { attempt: 3 }))
  expect(after?.attempt).toBe(3)
  for (const name of ['payload', 'results']) {
    expect(unreadText(after ?? {}, name)?.text).toBeString()
    expect(unreadText(Object(changes[0]), name)?.text).toBeString()
  }
  expect([Bun.deepEquals(after?.payload, LARGE), Bun.deepEquals(after?.results, inRow)]).toEqual([true, true])
  const found = await db.read((tx) => tx.find(quantumJobs, id))
  expect(Bun.deepEquals(found, after)).toBe(true)
})

test('a published change leaves values outside of the row in the database', async () => {
  await using test = await openTestDatabase()
  const { db } = test
  const { id } = await db.write('insert', (tx) =>
    tx.insert(quantumJobs, { payload: LARGE, results: SMALL, ...ended() }),
  )
  const records: object[] = []
  db.changes.subscribe((changes) => records.push(...changes.map(({ record }) => record as object)))
  const payload = await db.write('change', (tx) => {
    tx.run("UPDATE quantum_jobs SET status = 'failed' WHERE id = $id", { id })
    tx.changed(quantumJobs, id, 'update')
    return largeTextOf(tx, quantumJobs, id, 'payload')
  })
  // Not the text itself: a difference of megabytes would be printed.
  expect(payload.text === JSON.stringify(LARGE)).toBe(true)
  const [record = {}] = records
  expect(unreadValues(record)?.get('payload')).toBeInstanceOf(StoredJson)
  expect(isJsonLargerThan(record as Record<string, unknown>, 'payload', MAX_ROW_BYTES)).toBe(true)
  expect(isJsonLargerThan(record as Record<string, unknown>, 'results', MAX_ROW_BYTES)).toBe(false)
})

test('filters and sizes include values wherever they are stored', async () => {
  await using test = await openTestDatabase()
  const { db } = test
  const ids = await db.write('insert', (tx) =>
    [{ ...LARGE, kind: 'a' }, { kind: 'a' }, { ...LARGE, kind: 'b' }].map(
      (payload) => tx.insert(quantumJobs, { payload, results: LARGE }).id,
    ),
  )
  const queries = createRecordQueries({ db })
  const request = { ...ALL, rule: '', requestInfo: ROOT, filter: 'payload.kind = "a"', sort: 'created' }
  const page = await db.read((tx) => listNow(queries, tx, quantumJobs, request))
  expect(page.items.map(({ id }) => id).sort()).toEqual(ids.slice(0, 2).sort())
  const bounds = { without: {}, maxBytes: 2 * MAX_ROW_BYTES, remedy: '', records: 100 }
  const bounded = db.read((tx) => inSteps(tx, quantumJobs, ids, bounds))
  await expect(bounded).rejects.toMatchObject({ code: 'too_large' })
})

test('a report loses its traces wherever it is stored, and moves back into its row when it is small enough', async () => {
  await using test = await openTestDatabase()
  const { db } = test
  const routine = { routine: 't1', target: 'q0', parameters: { t1: { value: 1.25 } } }
  const { id } = await db.write('insert', (tx) =>
    tx.insert(calibrationResults, {
      routines: [{ ...routine, fit: LARGE }, routine],
      benchmarks: [{ protocol: 'rb', raw_data: [1] }],
      finished_at: '2020-01-01 00:00:00.000Z',
    }),
  )
  const strip = () => stripCalibrationResult(db, test.clock.now())
  expect([await strip(), await strip()]).toEqual([1, 0])
  expect(await db.read((tx) => tx.find(calibrationResults, id))).toMatchObject({
    routines: [routine, routine],
    benchmarks: [{ protocol: 'rb' }],
    traces_stripped: true,
  })
  expect(await db.read((tx) => tx.all('SELECT * FROM calibration_results_large'))).toEqual([])
})

test.skipIf(onlySqlite('its file'))('a backup and an export include them', async () => {
  await using test = await openTestDatabase()
  const { id } = await test.db.write('insert', (tx) => tx.insert(calibrationResults, { routines: [LARGE] }))
  using elsewhere = temporaryFolder()
  expect((await writeBackup(test.dir, join(elsewhere.path, 'svc.db'))).findings).toEqual([])
  const copy = await openDatabase({ dir: elsewhere.path, clock: test.clock, log: silentLog })
  const copied = await copy.read((tx) => tx.find(calibrationResults, id))
  await copy.close()
  expect(Bun.deepEquals(copied?.routines, [LARGE])).toBe(true)
  const plan = createPlans()(calibrationResults)
  const { records } = await test.db.read((tx) => readPage(tx, calibrationResults, plan, 0))
  expect(Bun.deepEquals(records[0]?.['routines'], [LARGE])).toBe(true)
})
