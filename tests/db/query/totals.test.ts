import { afterAll, beforeAll, expect, test } from 'bun:test'
import fc from 'fast-check'
import { withTotals } from '../../../src/db/query/totals.ts'
import { ALL, ROOT, shops } from '../filter/library.ts'
import { openSeeded } from '../filter/seed.ts'

type Library = Awaited<ReturnType<typeof openSeeded>>
let library: Library
/** The same records, numbered as if a million others had been inserted between them. */
let large: Library

beforeAll(async () => {
  library = await openSeeded()
  large = await openSeeded()
  await large.db.write('spread', (tx) => tx.run('UPDATE shops SET seq = seq * 1000000'))
})

afterAll(async () => {
  await library[Symbol.asyncDispose]()
  await large[Symbol.asyncDispose]()
})

const read = ({ db, queries }: Library, request: object) =>
  db.read((tx) => queries.list(tx, shops, { ...ALL, rule: '', requestInfo: ROOT, ...request }))

test('totals of a large table, counted by the thread, equal those of a small one', async () => {
  const filters = [
    '',
    'stock > 1',
    'title ~ "a"',
    'title = "nothing"',
    'reviews_via_shop.stars ?> 0',
    'open = true',
  ]
  const request = fc.record({
    filter: fc.constantFrom(...filters),
    sort: fc.constantFrom('', '-title', 'stock'),
    page: fc.integer({ min: 1, max: 4 }),
    perPage: fc.integer({ min: 1, max: 5 }),
    skipTotal: fc.boolean(),
  })
  await fc.assert(
    fc.asyncProperty(request, async (params) => {
      const page = await read(library, params)
      expect(await withTotals(large.db, await read(large, params))).toEqual(page)
      const { items } = await read(library, { ...params, page: 1, perPage: 100 })
      expect(page.totalItems).toBe(params.skipTotal ? -1 : items.length)
      expect(page.totalPages).toBe(params.skipTotal ? -1 : Math.ceil(items.length / params.perPage))
    }),
    { numRuns: 150 },
  )
})

test('the event loop counts neither a large table nor after the last page', async () => {
  expect(await read(large, { perPage: 2 })).toMatchObject({ totalItems: -1, counting: {} })
  expect(await read(large, { page: 2, perPage: 3 })).toMatchObject({ totalItems: 4 })
  const isEmpty = await read(large, { filter: 'title = "nothing"' })
  expect(isEmpty).toMatchObject({ totalItems: 0, totalPages: 0 })
  for (const page of [isEmpty, await read(library, { perPage: 2 })])
    expect(page).not.toHaveProperty('counting')
})

test('a total that waits when the database is closed is rejected', async () => {
  const closing = await openSeeded()
  await closing.db.write('spread', (tx) => tx.run('UPDATE shops SET seq = seq * 1000000'))
  const page = withTotals(closing.db, await read(closing, { perPage: 1 }))
  const outcome = page.catch((error: unknown) => error)
  await closing[Symbol.asyncDispose]()
  expect(await outcome).toMatchObject({ code: 'unavailable' })
})
