import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { NO_REQUEST, type RequestInfo } from '../../../src/db/filter/index.ts'
import { COLLECTIONS } from '../../../src/db/index.ts'
import { createRecordQueries, type RecordQueries } from '../../../src/db/query/query.ts'
import type { AnyCollection, Rules } from '../../../src/db/schema/collection.ts'
import {
  apiTokens,
  notifications,
  qpuTimeRequests,
  superusers,
  users,
} from '../../../src/db/store/accounts/index.ts'
import { timeSlots } from '../../../src/db/store/bookings/index.ts'
import { quantumJobs } from '../../../src/db/store/jobs/index.ts'
import { drivers, qpus } from '../../../src/db/store/qpus/index.ts'
import { events } from '../../../src/db/store/readings/index.ts'
import { openTestDatabase, type TestDatabase } from '../../support/database.ts'
import { as } from '../filter/library.ts'
import { listNow } from '../filter/list.ts'

type Who = 'guest' | 'owner' | 'other' | 'root'
const WHO: readonly Who[] = ['guest', 'owner', 'other', 'root']

let database: TestDatabase
let queries: RecordQueries
let requestInfo: Record<Who, RequestInfo>
/** Ids of the rows of a collection in the test cases; `own` belongs to the owner. */
const rows: Record<string, Record<string, string>> = {}

beforeAll(async () => {
  database = await openTestDatabase()
  const { db, clock } = database
  await clock.advance(Date.UTC(2026, 5, 1, 12) - clock.now())
  queries = createRecordQueries({ db })
  requestInfo = await db.write('seed', (tx) => {
    const owner = tx.insert(users, { email: 'owner@lab.org' })
    const other = tx.insert(users, { email: 'other@lab.org' })
    const root = tx.insert(superusers, { email: 'root@lab.org' })
    const qpu = tx.insert(qpus, { name: 'q1' })
    const driver = tx.insert(drivers, { name: 'd1', qpu: qpu.id, operation: 'process', token: 't' })
    const note = (start_time: string, end_time: string, target: string[], dismissed: string[] = []) =>
      tx.insert(notifications, {
        title: 'x',
        start_time,
        end_time,
        target_users: target,
        dismissed_by: dismissed,
      }).id
    const [past, future] = ['2026-05-01 00:00:00.000Z', '2026-07-01 00:00:00.000Z']
    const slot = (booked_by: string, day: string) =>
      tx.insert(timeSlots, {
        start_time: `2026-06-${day} 01:00:00.000Z`,
        end_time: `2026-06-${day} 02:00:00.000Z`,
        booked_by,
      }).id
    Object.assign(rows, {
      users: { own: owner.id, foreign: other.id },
      qpus: { any: qpu.id },
      drivers: { any: driver.id },
      superusers: { any: root.id },
      time_slots: { own: slot(owner.id, '02'), foreign: slot(other.id, '03') },
      quantum_jobs: {
        own: tx.insert(quantumJobs, { user_id: owner.id }).id,
        foreign: tx.insert(quantumJobs, { user_id: other.id }).id,
      },
      api_tokens: { own: tx.insert(apiTokens, { user: owner.id, token: 'x' }).id },
      qpu_time_requests: {
        own: tx.insert(qpuTimeRequests, { user: owner.id, seconds: 5 }).id,
        approved: tx.insert(qpuTimeRequests, { user: owner.id, seconds: 5, status: 'approved' }).id,
        foreign: tx.insert(qpuTimeRequests, { user: other.id, seconds: 5 }).id,
      },
      notifications: {
        all: note('', '', []),
        current: note(past, future, []),
        early: note(future, '', []),
        late: note('', past, []),
        targeted: note('', '', [owner.id]),
        elsewhere: note('', '', [other.id]),
        both: note('', '', [other.id, owner.id]),
        dismissed: note('', '', [], [owner.id]),
        dismissedByBoth: note('', '', [owner.id], [other.id, owner.id]),
        dismissedByOther: note('', '', [owner.id, other.id], [other.id]),
      },
      events: { any: tx.insert(events, { source: 'd1', type: 'x', ts: 't' }).id },
    })
    return { guest: NO_REQUEST, owner: as(users, owner), other: as(users, other), root: as(superusers, root) }
  })
})

afterAll(() => database[Symbol.asyncDispose]())

function rulesOf(name: string): { collection: AnyCollection; rules: Rules } {
  const collection = COLLECTIONS.find((each) => each.name === name)
  if (!collection) throw new Error(name)
  return { collection, rules: collection.rules }
}

/** Names of the rows that the rule shows; undefined when the rule is for superusers only. */
async function shownTo(who: Who, name: string, verb: 'list' | 'view' | 'update' | 'remove', body = {}) {
  const { collection, rules } = rulesOf(name)
  const info = { ...requestInfo[who], body }
  const record = queries.test(collection, { rule: rules[verb], requestInfo: info })
  return database.db.read((tx) =>
    Object.entries(rows[name] ?? {}).flatMap(([label, id]) => (record.stored(tx, id, info) ? [label] : [])),
  )
}

const NONE: string[] = []
const ANY = ['any']
const BOTH = ['own', 'foreign']
const NOTES = [
  'all',
  'current',
  'early',
  'late',
  'targeted',
  'elsewhere',
  'both',
  'dismissed',
  'dismissedByBoth',
  'dismissedByOther',
]

describe('list and view rules show', () => {
  const expected: Record<string, Record<Who, string[]>> = {
    users: { guest: NONE, owner: ['own'], other: ['foreign'], root: BOTH },
    qpus: { guest: ANY, owner: ANY, other: ANY, root: ANY },
    drivers: { guest: NONE, owner: ANY, other: ANY, root: ANY },
    superusers: { guest: NONE, owner: NONE, other: NONE, root: ANY },
    time_slots: { guest: NONE, owner: ['own'], other: ['foreign'], root: BOTH },
    quantum_jobs: { guest: BOTH, owner: BOTH, other: BOTH, root: BOTH },
    api_tokens: { guest: NONE, owner: NONE, other: NONE, root: ['own'] },
    qpu_time_requests: {
      guest: NONE,
      owner: ['own', 'approved'],
      other: ['foreign'],
      root: ['own', 'approved', 'foreign'],
    },
    notifications: {
      guest: NONE,
      owner: ['all', 'current', 'targeted', 'both', 'dismissedByOther'],
      other: ['all', 'current', 'elsewhere', 'both', 'dismissed'],
      root: NOTES,
    },
    events: { guest: NONE, owner: ANY, other: ANY, root: ANY },
  }
  for (const [name, shown] of Object.entries(expected)) {
    for (const who of WHO) {
      test(`${name} to ${who}: ${shown[who].join(', ') || 'nothing'}`, async () => {
        expect(await shownTo(who, name, 'list')).toEqual(shown[who])
        expect(await shownTo(who, name, 'view')).toEqual(shown[who])
        const { collection, rules } = rulesOf(name)
        const page = database.db.read((tx) =>
          listNow(queries, tx, collection, {
            page: 1,
            perPage: 100,
            skipTotal: false,
            rule: rules.list,
            requestInfo: requestInfo[who],
          }),
        )
        if (rules.list === null && who !== 'root')
          await expect(page).rejects.toMatchObject({ code: 'forbidden' })
        else expect((await page).totalItems).toBe(shown[who].length)
      })
    }
  }
})

describe('update and delete rules allow', () => {
  const expected: [name: string, verb: 'update' | 'remove', allowed: Record<Who, string[]>, body?: object][] =
    [
      ['users', 'update', { guest: NONE, owner: ['own'], other: ['foreign'], root: BOTH }],
      ['users', 'update', { guest: NONE, owner: NONE, other: NONE, root: BOTH }, { qpu_seconds: 5 }],
      ['users', 'update', { guest: NONE, owner: NONE, other: NONE, root: BOTH }, { api_tokens: [] }],
      ['users', 'remove', { guest: NONE, owner: ['own'], other: ['foreign'], root: BOTH }],
      ['time_slots', 'update', { guest: NONE, owner: ['own'], other: ['foreign'], root: BOTH }],
      ['time_slots', 'remove', { guest: NONE, owner: ['own'], other: ['foreign'], root: BOTH }],
      ['quantum_jobs', 'update', { guest: NONE, owner: NONE, other: NONE, root: BOTH }],
      ['quantum_jobs', 'remove', { guest: NONE, owner: NONE, other: NONE, root: BOTH }],
      ['qpus', 'update', { guest: NONE, owner: NONE, other: NONE, root: ANY }],
      ['drivers', 'remove', { guest: NONE, owner: NONE, other: NONE, root: ANY }],
      [
        'qpu_time_requests',
        'update',
        { guest: NONE, owner: NONE, other: NONE, root: ['own', 'approved', 'foreign'] },
      ],
      [
        'qpu_time_requests',
        'remove',
        { guest: NONE, owner: ['own'], other: ['foreign'], root: ['own', 'approved', 'foreign'] },
      ],
      ['notifications', 'update', { guest: NONE, owner: NONE, other: NONE, root: NOTES }],
      ['events', 'remove', { guest: NONE, owner: NONE, other: NONE, root: ANY }],
    ]
  for (const [name, verb, allowed, body = {}] of expected) {
    for (const who of WHO) {
      test(`${who} to ${verb} of ${name} ${JSON.stringify(body)}: ${allowed[who].join(', ') || 'nothing'}`, async () => {
        expect(await shownTo(who, name, verb, body)).toEqual(allowed[who])
      })
    }
  }
})

describe('create rules', () => {
  const everyUser = { guest: false, owner: true, other: true, root: true }
  const ownerOnly = { guest: false, owner: true, other: false, root: true }
  const rootOnly = { guest: false, owner: false, other: false, root: true }
  const cases: [
    name: string,
    values: (owner: string) => Record<string, unknown>,
    allowed: Record<Who, boolean>,
  ][] = [
    ['time_slots', () => ({}), everyUser],
    ['time_slots', (owner) => ({ booked_by: owner }), ownerOnly],
    ['quantum_jobs', () => ({ payload: { x: 1 } }), everyUser],
    ['quantum_jobs', () => ({ status: 'pending' }), everyUser],
    ['quantum_jobs', () => ({ status: 'completed' }), rootOnly],
    ['quantum_jobs', (owner) => ({ user_id: owner }), ownerOnly],
    ['quantum_jobs', (owner) => ({ user_id: [owner] }), ownerOnly],
    ['qpu_time_requests', () => ({ seconds: 10 }), everyUser],
    ['qpu_time_requests', (owner) => ({ seconds: 10, user: owner }), ownerOnly],
    ['qpu_time_requests', () => ({ status: 'approved' }), rootOnly],
    ['users', () => ({ email: 'x@y.org' }), rootOnly],
    ['qpus', () => ({ name: 'x' }), rootOnly],
    ['drivers', () => ({ name: 'x' }), rootOnly],
    ['api_tokens', () => ({}), rootOnly],
    ['notifications', () => ({ title: 'x' }), rootOnly],
    ['events', () => ({ type: 'x' }), rootOnly],
  ]
  for (const [name, values, allowed] of cases) {
    test(`${name} ${JSON.stringify(values('OWNER'))} by ${WHO.filter((who) => allowed[who]).join(', ')}`, async () => {
      const { collection, rules } = rulesOf(name)
      const sent = values(rows['users']?.['own'] ?? '')
      for (const who of WHO) {
        const info = { ...requestInfo[who], method: 'POST', body: sent }
        const created = queries.test(collection, { rule: rules.create, requestInfo: info })
        expect([who, await database.db.read((tx) => created.values(tx, sent, info))]).toEqual([
          who,
          allowed[who],
        ])
      }
    })
  }

  test('the first OAuth2 login creates a user without a balance', async () => {
    const create = (body: Record<string, unknown>) => {
      const info = { ...NO_REQUEST, context: 'oauth2' as const, body }
      const created = queries.test(users, { rule: users.rules.create, requestInfo: info })
      return database.db.read((tx) => created.values(tx, body, info))
    }
    expect(await create({ email: 'new@lab.org' })).toBe(true)
    expect(await create({ email: 'new@lab.org', qpu_seconds: 0 })).toBe(false)
  })
})

test('every declared rule compiles for guests, users and superusers', async () => {
  for (const collection of COLLECTIONS) {
    for (const rule of Object.values(collection.rules)) {
      for (const who of WHO) {
        const record = queries.test(collection, { rule, requestInfo: requestInfo[who] })
        expect(await database.db.read((tx) => record.stored(tx, 'nobody000000000', requestInfo[who]))).toBe(
          false,
        )
      }
    }
  }
})

test('configured public names are the only ones for clients, and one of two for rules', async () => {
  await using renamed = await openTestDatabase({ names: { quantum_jobs: 'tasks' } })
  const { db } = renamed
  const other = createRecordQueries({ db })
  const root = as(superusers, await db.write('root', (tx) => tx.insert(superusers, { email: 'r@x.org' })))
  const find = (filter: string, info = root, rule: string | null = '') =>
    db.read((tx) =>
      listNow(other, tx, users, { page: 1, perPage: 10, skipTotal: false, rule, requestInfo: info, filter }),
    )
  expect((await find('tasks_via_user_id.id = ""')).items).toEqual([])
  await expect(find('quantum_jobs_via_user_id.id = ""')).rejects.toMatchObject({ code: 'invalid' })
  expect(
    (await find('', NO_REQUEST, 'tasks_via_user_id.id = "" || quantum_jobs_via_user_id.id = ""')).items,
  ).toEqual([])
})

test('rules that settings replace count for joins and expands too', async () => {
  const { db } = database
  const own = { ...quantumJobs.rules, list: 'user_id = @request.auth.id', view: 'user_id = @request.auth.id' }
  const strict = createRecordQueries({
    db,
    rulesOf: (collection) => (collection.name === 'quantum_jobs' ? own : collection.rules),
  })
  const counted = (which: RecordQueries, rule: string) =>
    db.read((tx) => {
      const request = {
        page: 1,
        perPage: 10,
        skipTotal: false,
        rule,
        requestInfo: requestInfo.owner,
      } as const
      const page = listNow(which, tx, users, { ...request, filter: 'quantum_jobs_via_user_id.id ?!= ""' })
      const [found] = which.expand(
        tx,
        users,
        tx.list(users, { sort: '-email' }).slice(1),
        'quantum_jobs_via_user_id',
        requestInfo.owner,
      )
      return [page.totalItems, Object.keys(found?.expand ?? {}).length]
    })
  expect(await counted(queries, '')).toEqual([2, 1])
  expect(await counted(strict, '')).toEqual([1, 0])
})
