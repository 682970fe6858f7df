import { expect } from 'bun:test'
import type { RequestInfo } from '../../../src/db/filter/index.ts'
import {
  ALL,
  as,
  authors,
  idOf,
  openLibrary,
  passports,
  ROOT,
  reviews,
  shops,
  type TestLibrary,
  vaults,
} from './library.ts'
import { listNow } from './list.ts'

/** A library with four shops, a to d; it is 2026-01-31 09:05:07.250 UTC. */
export async function openSeeded(): Promise<
  TestLibrary & {
    ann: RequestInfo
    found: (filter: string, requestInfo?: RequestInfo, sort?: string) => Promise<string>
  }
> {
  const library = await openLibrary()
  const { test, db } = library
  await test.clock.advance(Date.UTC(2026, 0, 31, 9, 5, 7, 250) - test.clock.now())
  await db.write('seed', (tx) => {
    const author = (name: string, more: object) => tx.insert(authors, { id: idOf(name), name, ...more })
    author('ann', { email: 'ann@x.org', emailVisibility: true, rank: 3, secret: 's1' })
    author('bob', { email: 'bob@x.org', rank: 10, secret: 's2', friend: idOf('ann') })
    author('cyd', { rank: 0, friend: idOf('bob') })
    tx.insert(shops, {
      id: idOf('a'),
      title: 'Alpha_1',
      owner: idOf('ann'),
      staff: [idOf('ann'), idOf('bob')],
      stock: 5,
      rating: 1.5,
      open: true,
      opened: '2026-01-31 09:05:00.000Z',
      size: 'small',
      info: { n: 5, s: 'x', deep: [{ k: 'v' }, true], big: 'MiXed', empty: '' },
      balance: 1.25,
    })
    tx.insert(shops, {
      id: idOf('b'),
      title: 'beta%',
      owner: idOf('bob'),
      staff: [idOf('bob')],
      stock: 12,
      rating: 2,
      opened: '2026-02-01 00:00:00.000Z',
      info: 'x',
    })
    tx.insert(shops, {
      id: idOf('c'),
      title: '123',
      stock: 0,
      rating: -2,
      open: true,
      size: 'large',
      info: [1, 2],
      balance: 5,
    })
    tx.insert(shops, { id: idOf('d'), title: 'a\\b"c\'\n\t', owner: idOf('cyd'), staff: [idOf('cyd')] })
    const review = (shop: string, by: string, stars: number, text = '') =>
      tx.insert(reviews, { shop: idOf(shop), by: by && idOf(by), stars, text })
    review('a', 'ann', 5, 'good')
    review('a', 'bob', 3, 'fair')
    review('b', 'bob', 5, 'good')
    review('c', '', 1, '')
    tx.insert(vaults, { owner: idOf('ann'), code: '42' })
    tx.insert(passports, { author: idOf('ann'), number: 'P1', visited: [idOf('a'), idOf('b')] })
  })

  const record = await db.read((tx) => tx.find(authors, idOf('ann')))
  if (!record) throw new Error('ann is missing')
  return { ...library, ann: as(authors, record), found }

  /** First letters of the shops that match a filter, in the order of the sort. */
  async function found(filter: string, requestInfo: RequestInfo = ROOT, sort = ''): Promise<string> {
    const page = await db.read((tx) =>
      listNow(library.queries, tx, shops, { ...ALL, rule: '', requestInfo, filter, sort }),
    )
    expect(page.totalItems).toBe(page.items.length)
    return page.items.map(({ id }) => id[0]).join('')
  }
}

/** The same library, whose first shop has 2,000 reviews more. */
export async function openCrowded(): ReturnType<typeof openSeeded> {
  const crowd = await openSeeded()
  await crowd.db.write('crowd', (tx) => {
    tx.run(
      `WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 2000)
       INSERT INTO reviews (id, shop, "by", stars, created, updated)
       SELECT 'r' || substr('00000000000000' || i, -14), $shop, $by, 5, '', '' FROM n`,
      { shop: idOf('a'), by: idOf('ann') },
    )
  })
  return crowd
}
