import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { users } from '../../../src/db/index.ts'
import { type Page, readPage } from '../../../src/db/query/read-page.ts'
import type { Reading } from '../../../src/db/readers/reader-pool.ts'
import { openTestDatabase } from '../../support/database.ts'
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

/** A page, and whether a reader process took part. */
async function pageOf({ db, queries }: Library, request: object) {
  let reads = 0
  const full = { ...ALL, rule: '', requestInfo: ROOT, ...request }
  const counting: typeof db = {
    ...db,
    select: (...args) => {
      reads += 1
      return db.select(...args)
    },
  }
  const page = await readPage(counting, {
    reading,
    plan: (tx) => queries.plan(tx, shops, full),
    records: (tx, ids) => queries.records(tx, shops, ids, full),
  })
  return { page, reads }
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

  test('the event loop reads what is cheap', async () => {
    const reads = async (from: Library, request: object) => (await pageOf(from, request)).reads
    expect(await reads(library, { filter: 'stock > 1 && title ~ "a"', sort: '-title' })).toBe(0)
    expect(await reads(large, {})).toBe(0)
    expect(await reads(large, { filter: `id = "${idOf('a')}" && stock > 1` })).toBe(0)
  })

  test('a process reads the rest: scans, sorts, deep pages, back relations and totals of large tables', async () => {
    const reads = async (from: Library, request: object) => (await pageOf(from, request)).reads
    expect(await reads(large, { filter: 'stock > 1' })).toBe(1)
    expect(await reads(large, { sort: 'title' })).toBe(1)
    expect(await reads(large, { page: 5_000, perPage: 2, skipTotal: true })).toBe(1)
    expect(await reads(library, { page: 5_000, perPage: 2, skipTotal: true })).toBe(1)
    expect(await reads(library, { filter: 'reviews_via_shop.stars ?> 0' })).toBe(1)
    expect(await reads(large, { perPage: 2 })).toBe(1)
    expect(await reads(large, { perPage: 2, skipTotal: true })).toBe(0)
    expect(await reads(large, { page: 2, perPage: 3 })).toBe(0)
  })

  test('a process reads JSON values of other records, whose sizes are not known', async () => {
    const isCostly = (filter: string) =>
      library.db.read((tx) =>
        library.queries.plan(tx, reviews, { ...ALL, rule: '', requestInfo: ROOT, filter }).isCostly(tx),
      )
    expect(await isCostly('shop.title = "a"')).toBe(false)
    expect(await isCostly('shop.info.n = 5')).toBe(true)
  })

  test('large texts and JSON values are not searched on the event loop', async () => {
    await using heavy = await openSeeded()
    const reads = async (filter: string) => (await pageOf(heavy, { filter })).reads
    const pattern = `title ~ "${'x'.repeat(200)}"`
    expect([await reads('info ~ "x"'), await reads(pattern)]).toEqual([0, 0])
    await heavy.db.write('grow', (tx) => {
      tx.run('UPDATE shops SET title = $title WHERE stock = 5', { title: 'y'.repeat(5_000) })
      tx.run('UPDATE shops SET info = $info WHERE stock = 12', { info: JSON.stringify('y'.repeat(600_000)) })
    })
    expect([await reads('info ~ "x"'), await reads(pattern)]).toEqual([1, 1])
    expect(await reads('stock > 1')).toBe(0)
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
    const { createRecordQueries } = await import('../../../src/db/query/query.ts')
    const queries = createRecordQueries({ names: base.db.names })
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

  test('an error of the filter is the same from a process', async () => {
    const filter = 'strftime("%Y", created) > 1 && title ~ @request.query.q'
    const requestInfo = { ...ROOT, query: { q: 'x'.repeat(60_000) } }
    await expect(pageOf(large, { filter, requestInfo })).rejects.toMatchObject({ reason: 'bad_filter' })
  })
})
