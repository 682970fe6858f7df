import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import type { Reading } from '../../../src/db/engine/reading.ts'
import { createRecordQueries } from '../../../src/db/query/query.ts'
import { type Page, readPage } from '../../../src/db/query/read-page.ts'
import { users } from '../../../src/db/store/accounts/index.ts'
import { quantumJobs } from '../../../src/db/store/jobs/index.ts'
import { openTestDatabase } from '../../support/database.ts'
import { onlySqlite } from '../../support/postgres/only-sqlite.ts'
import { ALL, idOf, ROOT, reviews, shops } from '../filter/library.ts'
import { openSeeded } from '../filter/seed.ts'

type Library = Awaited<ReturnType<typeof openSeeded>>
let library: Library
/** The same records, numbered as if a million others had been inserted between them. */
let large: Library

const spread = ({ db }: Library) => db.write('spread', (tx) => tx.run('UPDATE shops SET seq = seq * 1000000'))

beforeAll(async () => {
  library = await openSeeded()
  large = await openSeeded()
  await spread(large)
})

afterAll(async () => {
  await library[Symbol.asyncDispose]()
  await large[Symbol.asyncDispose]()
})

const reading: Reading = { caller: 'root', kind: 'superuser' }

/** The database, with the number of the reads by reader processes. */
function counted({ db }: Pick<Library, 'db'>) {
  const counting = {
    reads: 0,
    db: {
      ...db,
      select: (...args: Parameters<typeof db.select>) => {
        counting.reads += 1
        return db.select(...args)
      },
    },
  }
  return counting
}

/** A page, and how many reads of reader processes it took. */
async function pageOf(library: Library, request: object, counting = counted(library)) {
  const { queries } = library
  const full = { ...ALL, rule: '', requestInfo: ROOT, ...request }
  const before = counting.reads
  const page = await readPage(counting.db, {
    reading,
    plan: (tx) => queries.plan(tx, shops, full),
    records: (tx, ids) => queries.records(tx, shops, ids, full),
  })
  return { page, reads: counting.reads - before }
}

describe('readPage()', () => {
  test('pages of a large table, read by a process, equal those of a small one', async () => {
    const filters = [
      ...['', 'stock > 1', 'title ~ "a"', 'title = "nothing"'],
      ...['reviews_via_shop.stars ?> 0', 'open = true', 'info.n = 5', 'owner.name = "ann"'],
    ]
    const request = fc.record({
      filter: fc.constantFrom(...filters),
      sort: fc.constantFrom('', '-title', 'stock', 'owner.name'),
      page: fc.integer({ min: 1, max: 4 }),
      perPage: fc.integer({ min: 1, max: 5 }),
      skipTotal: fc.boolean(),
    })
    await fc.assert(
      fc.asyncProperty(request, async (params) => {
        const { page } = await pageOf(library, params)
        expect((await pageOf(large, params)).page).toEqual(page)
        const { items } = (await pageOf(library, { ...params, page: 1, perPage: 100 })).page
        expect(page.totalItems).toBe(params.skipTotal ? -1 : items.length)
        expect(page.totalPages).toBe(params.skipTotal ? -1 : Math.ceil(items.length / params.perPage))
      }),
      { numRuns: 150 },
    )
  })

  test('the event loop reads small tables, and large ones by an index', async () => {
    const reads = async (from: Library, request: object) => (await pageOf(from, request)).reads
    expect(await reads(library, { filter: 'stock > 1 && owner.name != "a"', sort: '-title' })).toBe(0)
    expect(await reads(library, { page: 5_000, perPage: 2, skipTotal: true })).toBe(0)
    expect(await reads(large, {})).toBe(0)
    expect(await reads(large, { filter: `id = "${idOf('a')}" && stock > 1` })).toBe(0)
  })

  test('a process reads the rest: scans, sorts, deep pages, back relations and totals of large tables', async () => {
    const reads = async (from: Library, request: object) => (await pageOf(from, request)).reads
    expect(await reads(large, { filter: 'stock > 1' })).toBe(1)
    expect(await reads(large, { sort: 'title' })).toBe(1)
    expect(await reads(large, { page: 5_000, perPage: 2, skipTotal: true })).toBe(1)
    expect(await reads(library, { filter: 'reviews_via_shop.stars ?> 0' })).toBe(1)
    expect(await reads(large, { perPage: 2 })).toBe(1)
    expect(await reads(large, { perPage: 2, skipTotal: true })).toBe(0)
    expect(await reads(large, { page: 2, perPage: 3 })).toBe(0)
  })

  test('the event loop reads the jobs of a user with few of them, by any of their columns', async () => {
    await using lab = await openTestDatabase()
    const queries = createRecordQueries({ db: lab.db })
    const [ann, bob] = [idOf('ann'), idOf('bob')]
    await lab.db.write('seed', (tx) => {
      for (const id of [ann, bob]) tx.insert(users, { id, username: id, email: `${id}@x.org` })
      for (const id of [ann, bob, ann]) tx.insert(quantumJobs, { user_id: id, payload: {} })
      tx.run('UPDATE quantum_jobs SET seq = seq * 1000000')
    })
    const counting = counted(lab)
    const readsOf = async (filter: string, sort = '-created') => {
      const request = { ...ALL, rule: '', requestInfo: ROOT, filter, sort, perPage: 1 }
      const before = counting.reads
      const page = await readPage(counting.db, {
        reading,
        plan: (tx) => queries.plan(tx, quantumJobs, request),
        records: (tx, ids) => queries.records(tx, quantumJobs, ids, request),
      })
      return [page.totalItems, counting.reads - before]
    }
    expect(await readsOf(`user_id = "${ann}" && status = "pending"`)).toEqual([2, 0])
    expect(await readsOf(`user_id = "${ann}" && (status = "pending" || name != "")`)).toEqual([2, 0])
    expect(await readsOf(`user_id = "${ann}" && status = "pending"`, 'status')).toEqual([2, 1])
    expect(await readsOf(`user_id != "${ann}" && status = "pending"`)).toEqual([1, 1])
    await lab.db.write('grow', (tx) =>
      tx.run('UPDATE users SET job_bytes = 3000000 WHERE id = $ann', { ann }),
    )
    expect(await readsOf(`user_id = "${ann}" && status = "pending"`)).toEqual([2, 1])
  })

  test('a process searches texts and JSON values, whose sizes are not known', async () => {
    const isLight = (filter: string) =>
      library.db.read(
        (tx) => library.queries.plan(tx, reviews, { ...ALL, rule: '', requestInfo: ROOT, filter }).isLight,
      )
    expect(await isLight('shop.title = "a"')).toBe(true)
    expect(await isLight('shop.info.n = 5')).toBe(false)
    const reads = async (filter: string) => (await pageOf(library, { filter })).reads
    expect([await reads('info ~ "x"'), await reads('title ~ "x"'), await reads('info.n = 5')]).toEqual([
      1, 1, 1,
    ])
  })

  test('a total is counted once until something is written', async () => {
    await using changing = await openSeeded()
    await spread(changing)
    const counting = counted(changing)
    const request = { perPage: 2 }
    const first = await pageOf(changing, request, counting)
    expect(first.reads).toBe(1)
    expect(await pageOf(changing, request, counting)).toEqual({ ...first, reads: 0 })
    await changing.db.write('change', (tx) => tx.update(shops, idOf('a'), { stock: 100 }))
    const { page, reads } = await pageOf(changing, request, counting)
    expect([page.totalItems, reads]).toEqual([first.page.totalItems, 1])
  })

  test('sees what was committed before the request, on both paths', async () => {
    await using changing = await openSeeded()
    await spread(changing)
    const found = async (filter: string): Promise<Page<unknown>> => (await pageOf(changing, { filter })).page
    for (const stock of [100, 200]) {
      await changing.db.write('change', (tx) => tx.update(shops, idOf('a'), { stock }))
      expect((await found(`stock = ${stock}`)).totalItems).toBe(1)
      expect((await found(`id = "${idOf('a')}" && stock = ${stock}`)).totalItems).toBe(1)
    }
  })

  test('a record that the rule hides since its id was read is left out', async () => {
    await using changing = await openSeeded()
    await spread(changing)
    const { db, queries, ann } = changing
    const request = { ...ALL, rule: 'open = true', requestInfo: ann, filter: 'stock > 1' }
    const page = await readPage(
      {
        ...db,
        async select(...args) {
          const found = await db.select(...args)
          expect(found.ids).toEqual([idOf('a')])
          await db.write('close', (tx) => tx.update(shops, idOf('a'), { open: false }))
          return found
        },
      },
      {
        reading,
        plan: (tx) => queries.plan(tx, shops, request),
        records: (tx, ids) => queries.records(tx, shops, ids, request),
      },
    )
    expect(page.items).toEqual([])
  })

  test('long pages are read in steps', async () => {
    await using base = await openTestDatabase()
    const queries = createRecordQueries({ db: base.db })
    await base.db.write('seed', (tx) => {
      for (let at = 0; at < 250; at += 1) tx.insert(users, { username: `user${at}`, email: `u${at}@x.org` })
    })
    const steps: number[] = []
    const request = { page: 1, perPage: 1_000, skipTotal: false, rule: '', requestInfo: ROOT }
    const page = await readPage(base.db, {
      reading,
      plan: (tx) => queries.plan(tx, users, request),
      records(tx, ids) {
        steps.push(ids.length)
        return queries.records(tx, users, ids, request)
      },
    })
    expect(steps).toEqual([100, 100, 50])
    expect(page.items.map(({ username }) => username)).toEqual(
      Array.from({ length: 250 }, (_, at) => `user${at}`),
    )
  })

  test.skipIf(onlySqlite('its messages'))('an error of the filter is the same from a process', async () => {
    const filter = 'strftime("%Y", created) > 1 && title ~ @request.query.q'
    const requestInfo = { ...ROOT, query: { q: 'x'.repeat(60_000) } }
    await expect(pageOf(large, { filter, requestInfo })).rejects.toMatchObject({ reason: 'bad_filter' })
  })
})
