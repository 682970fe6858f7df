import { afterAll, beforeAll, expect, test } from 'bun:test'
import fc from 'fast-check'
import { NO_REQUEST } from '../../../src/db/filter/index.ts'
import { createRecordQueries } from '../../../src/db/query/query.ts'
import { events } from '../../../src/db/store/readings/index.ts'
import { openTestDatabase, type TestDatabase } from '../../support/database.ts'
import { onlySqlite } from '../../support/postgres/only-sqlite.ts'
import { ALL, authors, idOf, ROOT, reviews, shops } from '../filter/library.ts'
import { listNow } from '../filter/list.ts'
import { openSeeded } from '../filter/seed.ts'

type Library = Awaited<ReturnType<typeof openSeeded>>
let library: Library

beforeAll(async () => {
  library = await openSeeded()
  // Few different values, so that most pages end between equal ones.
  await library.db.write('many', (tx) => {
    for (let n = 0; n < 40; n += 1) {
      tx.insert(shops, {
        title: `shop ${n % 3}`,
        owner: idOf(n % 2 === 0 ? 'ann' : 'bob'),
        stock: n % 4,
        rating: (n % 5) - 2.5,
        open: n % 7 === 0,
      })
    }
  })
})
afterAll(() => library[Symbol.asyncDispose]())

interface Wanted {
  sort: string
  filter?: string
  after?: string
  perPage?: number
}

const idsOf = ({ sort, filter = '', after, perPage = 1_000 }: Wanted): Promise<string[]> =>
  library.db.read((tx) => {
    const request = { ...ALL, rule: '', requestInfo: ROOT, sort, filter, perPage, after }
    return listNow(library.queries, tx, shops, request).items.map(({ id }) => id)
  })

test('pages after the last record of the page before are the whole list, in its order', async () => {
  const keys = ['title', 'owner', 'stock', 'rating', 'open', 'opened', 'id', 'created', '@rowid', 'size']
  const request = fc.record({
    keys: fc.uniqueArray(fc.constantFrom(...keys), { maxLength: 3 }),
    descending: fc.boolean(),
    filter: fc.constantFrom('', 'stock > 1', 'owner.name = "ann"', 'open = false && rating < 1'),
    perPage: fc.integer({ min: 1, max: 15 }),
  })
  await fc.assert(
    fc.asyncProperty(request, async ({ keys: chosen, descending, filter, perPage }) => {
      const sort = chosen.map((key) => (descending ? `-${key}` : key)).join(',')
      const all = await idsOf({ sort, filter })
      const paged = await idsOf({ sort, filter, perPage })
      for (let last = paged.at(-1); last !== undefined && paged.length <= all.length; ) {
        const page = await idsOf({ sort, filter, perPage, after: last })
        paged.push(...page)
        last = page.at(-1)
      }
      expect(paged).toEqual(all)
    }),
    { numRuns: 60 },
  )
})

test('a record that was inserted or removed meanwhile moves no other to another page', async () => {
  await using changing = await openSeeded()
  const page = (after?: string) =>
    changing.db.read((tx) => {
      const request = { ...ALL, rule: '', requestInfo: ROOT, sort: 'stock', perPage: 2, after }
      return listNow(changing.queries, tx, shops, request).items.map(({ title }) => title)
    })
  const first = await page()
  const last = await changing.db.read((tx) => tx.findBy(shops, { title: first[1] ?? '' }))
  const expected = await page(last?.id)
  await changing.db.write('change', (tx) => {
    tx.insert(shops, { title: 'first of all', stock: -1 })
    const before = tx.findBy(shops, { title: first[0] ?? '' })
    if (before) tx.remove(shops, before.id)
  })
  expect(expected.length).toBe(2)
  expect(await page(last?.id)).toEqual(expected)
})

test('a record that is missing or hidden, and an order that it does not determine, are refused', async () => {
  const refused = (message: RegExp) => ({
    code: 'invalid',
    reason: 'bad_parameter',
    message: expect.stringMatching(message),
  })
  await expect(idsOf({ sort: 'title', after: 'nothing' })).rejects.toMatchObject(
    refused(/^There is no record "nothing" to continue after/),
  )
  const [first = ''] = await idsOf({ sort: '' })
  for (const sort of ['owner.name', '@random', '-title,stock', 'title:lower', 'balance']) {
    await expect(idsOf({ sort, after: first })).rejects.toMatchObject(
      refused(/^A list continues after a record only if all sort keys are stored fields/),
    )
  }
  const { id } = await library.db.write('review', (tx) =>
    tx.insert(reviews, { shop: first, by: idOf('bob'), stars: 1 }),
  )
  const listed = (rule: string) =>
    library.db.read((tx) => {
      const request = { ...ALL, rule, requestInfo: library.ann, sort: '-created', after: id }
      return listNow(library.queries, tx, reviews, request).items.length
    })
  await expect(listed('stars = 5')).rejects.toMatchObject(refused(/^There is no record/))
  expect(await listed('')).toBeGreaterThan(0)
})

test('an address that its owner may hide is no place in a list', async () => {
  const byEmail = library.db.read((tx) => {
    const request = { ...ALL, rule: '', requestInfo: NO_REQUEST, sort: 'email', after: idOf('bob') }
    return listNow(library.queries, tx, authors, request)
  })
  await expect(byEmail).rejects.toMatchObject({ reason: 'bad_parameter' })
})

test.skipIf(onlySqlite('its plans'))(
  'a page deep in a list reads as many rows as the first, and is read at once',
  async () => {
    await using lab: TestDatabase = await openTestDatabase()
    const queries = createRecordQueries({ db: lab.db })
    await lab.db.write('many', (tx) =>
      tx.run(
        `WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 50000)
       INSERT INTO events (id, source, type, driver, ts, created, updated)
       SELECT printf('event%010d', i), 'x', 'Type' || (i % 2), 'd' || (i % 3),
         printf('2026-01-01T00:00:%06d', i), printf('2026-01-01 00:00:%06d', i), '' FROM n`,
      ),
    )
    for (const sort of ['', '-ts', 'ts', '-created', 'id', '-type', '-driver']) {
      for (const filter of sort.endsWith('ts') ? ['', 'type = "Type1"', 'driver = "d1"'] : ['']) {
        await lab.db.read((tx) => {
          const paging = { page: 1, perPage: 30, skipTotal: true, after: 'event0000025000' }
          const request = { ...paging, sort, filter, rule: '', requestInfo: ROOT }
          const plan = queries.plan(tx, events, request)
          const [step = '', ...others] = tx.explain(plan.ids.sql, plan.ids.params)
          expect([step, others]).toEqual([expect.stringMatching(/^SEARCH b .*[<>][(?]/), []])
          expect(plan.isIndexed).toBe(true)
        })
      }
    }
  },
)
