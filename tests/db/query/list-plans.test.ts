import { afterAll, beforeAll, expect, test } from 'bun:test'
import { COLLECTIONS } from '../../../src/db/collections.ts'
import { NO_REQUEST, type RequestInfo } from '../../../src/db/filter/index.ts'
import { type OwnJobsFilter, planOwnJobs } from '../../../src/db/query/own-jobs.ts'
import { createRecordQueries } from '../../../src/db/query/query.ts'
import { users } from '../../../src/db/store/accounts/index.ts'
import { quantumJobs } from '../../../src/db/store/jobs/index.ts'
import { openTestDatabase, type TestDatabase } from '../../support/database.ts'
import { onlySqlite } from '../../support/postgres/only-sqlite.ts'
import { ROOT } from '../filter/library.ts'

let lab: TestDatabase
beforeAll(async () => {
  lab = await openTestDatabase()
})
afterAll(() => lab[Symbol.asyncDispose]())

const USER: RequestInfo = {
  ...NO_REQUEST,
  auth: { collection: users, collectionId: '', record: { id: 'ada000000000000' } },
}

/** Lists of tables that grow with use: those of the dashboard's pages, and sorts that they offer. */
const LISTS: [collection: string, filter: string, sort: string, index: string][] = [
  ['quantum_jobs', '', '-created', 'quantum_jobs_created'],
  ['quantum_jobs', '', 'created', 'quantum_jobs_created'],
  ['quantum_jobs', '', 'id', 'sqlite_autoindex_quantum_jobs_1'],
  ['quantum_jobs', '', 'user_id', 'quantum_jobs_user_id_created'],
  ['quantum_jobs', 'user_id = "x"', '-created', 'quantum_jobs_user_id_created'],
  ['quantum_jobs', 'created > "2026"', '-created', 'quantum_jobs_created'],
  ['events', '', '-ts', 'events_ts'],
  ['events', '', '-created', 'events_created'],
  ['events', '', '-type', 'events_type_ts'],
  ['events', '', 'driver', 'events_driver_ts'],
  ['events', '', '-qpu', 'events_qpu_ts'],
  ['events', 'ts >= "2026" && ts < "2027"', '-ts', 'events_ts'],
  ['events', 'ts >= "2026" && type = "x"', '-ts', 'events_type_ts'],
  ['events', 'ts >= "2026" && driver = "x"', '-ts', 'events_driver_ts'],
  ['events', 'ts >= "2026" && qpu = "x"', '-ts', 'events_qpu_ts'],
  ['calibration_results', '', '-finished_at', 'calibration_results_finished_at'],
  ['calibration_requests', 'status = "done"', '-finished_at', 'calibration_requests_status_finished_at'],
  ['time_slots', 'start_time > "2026"', 'start_time', 'time_slots_(booked_by_)?start_time'],
]

test.skipIf(onlySqlite('its plans'))(
  'every list of records with an index is read from it in order, and at once',
  async () => {
    const queries = createRecordQueries({ db: lab.db })
    for (const [name, filter, sort, index] of LISTS) {
      const collection = COLLECTIONS.find((each) => each.name === name)
      if (!collection) throw new Error(`there is no collection ${name}`)
      for (const requestInfo of [USER, ROOT]) {
        await lab.db.read((tx) => {
          const rule = requestInfo === ROOT ? null : collection.rules.list
          const request = { page: 1, perPage: 30, skipTotal: true, filter, sort, rule, requestInfo }
          const { ids, isIndexed } = queries.plan(tx, collection, request)
          const [first = '', ...others] = tx.explain(ids.sql, ids.params)
          const list = `${name} ${filter} ${sort}`
          expect([list, first]).toEqual([list, expect.stringMatching(new RegExp(`INDEX ${index}\\b(?!_)`))])
          expect([list, others.filter((step) => /TEMP B-TREE|SCAN b\b/.test(step))]).toEqual([list, []])
          expect([list, isIndexed]).toEqual([list, true])
        })
      }
    }
  },
)

test.skipIf(onlySqlite('its plans'))(
  'a list of the jobs of everybody finds those with a rare status by an index, whatever else it asks for',
  async () => {
    const plans = (filter: OwnJobsFilter, sort = '-created') =>
      lab.db.read((tx) => {
        const plan = planOwnJobs(lab.db, undefined, { skip: 0, limit: 30, sort, filter, isCounted: true })
        const { ids, count } = plan
        return [ids, ...(count ? [count] : [])].map(({ sql, params }) => tx.explain(sql, params))
      })
    for (const status of ['failed', 'cancelled']) {
      for (const more of [{}, { before: 'x' }, { qpu: 'x' }, { createdFrom: '2026' }]) {
        const [list = [], count = []] = await plans({ ...more, status: [status] })
        expect(list[0]).toMatch(/^SEARCH job USING .*INDEX quantum_jobs_status_seq \(status=\?/)
        expect(list.filter((step) => step.includes('TEMP B-TREE'))).toEqual([])
        expect(count[0]).toMatch(/^SEARCH job USING .*INDEX quantum_jobs_status_seq \(status=\?/)
      }
    }
    for (const status of ['pending', 'running']) {
      for (const first of await plans({ status: [status] })) {
        expect(first?.[0]).toMatch(/^SEARCH job USING .*INDEX quantum_jobs_\w+/)
      }
    }
    // Most jobs are completed, so that the newest of them are near the end of the table.
    expect((await plans({ status: ['completed'] }))[0]?.[0]).toBe('SCAN job')
  },
)

test.skipIf(onlySqlite('its plans'))(
  'a list of records with a rare status reads the jobs with that status, and no others',
  async () => {
    const queries = createRecordQueries({ db: lab.db })
    for (const status of ['pending', 'running', 'failed', 'cancelled']) {
      await lab.db.read((tx) => {
        const filter = `status = "${status}" && driver = "x"`
        const list = { page: 1, perPage: 30, skipTotal: false, filter, sort: '-created', rule: null }
        const { ids, count } = queries.plan(tx, quantumJobs, { ...list, requestInfo: ROOT })
        for (const each of count ? [ids, count] : []) {
          const [first = ''] = tx.explain(each.sql, each.params)
          expect([status, first]).toEqual([
            status,
            expect.stringMatching(/INDEX quantum_jobs_status_(seq|user_id_held_\w+|qpu_unique) \(status=\?/),
          ])
        }
      })
    }
  },
)
