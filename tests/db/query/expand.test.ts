import { describe, expect, test } from 'bun:test'
import { createExpandBudget } from '../../../src/db/query/expand.ts'
import { authors, idOf, ROOT, reviews, shops } from '../filter/library.ts'
import { openCrowded, type openSeeded } from '../filter/seed.ts'

describe('costly expansions', () => {
  const expandAll = (crowd: Awaited<ReturnType<typeof openSeeded>>, text: string) =>
    crowd.db.read((tx) =>
      crowd.queries.expand(tx, reviews, tx.list(reviews, { where: { shop: idOf('b') } }), text, ROOT),
    )
  const refused = { code: 'invalid', reason: 'expand_too_large' }

  test('a back relation returns 1,000 records', async () => {
    await using crowd = await openCrowded()
    const [shown] = await expandAll(crowd, 'shop.reviews_via_shop')
    expect(shown).toMatchObject({ expand: { shop: { expand: {} } } })
    const [first] = await crowd.db.read((tx) =>
      crowd.queries.expand(tx, shops, tx.list(shops, { limit: 1 }), 'reviews_via_shop', ROOT),
    )
    expect(first?.expand?.['reviews_via_shop']).toHaveLength(1_000)
  })

  test('records that appear below many others count each time', async () => {
    await using crowd = await openCrowded()
    // Each of 1,000 reviews would show the same 1,000.
    const text = 'reviews_via_shop.shop.reviews_via_shop'
    const all = crowd.db.read((tx) =>
      crowd.queries.expand(tx, shops, tx.list(shops, { limit: 1 }), text, ROOT),
    )
    await expect(all).rejects.toMatchObject(refused)
  })

  test('the calls of one response share its limit', async () => {
    await using crowd = await openCrowded()
    const budget = createExpandBudget()
    const once = () =>
      crowd.db.read((tx) =>
        crowd.queries.expand(tx, shops, tx.list(shops, { limit: 1 }), 'reviews_via_shop', ROOT, { budget }),
      )
    for (let call = 0; call < 10; call += 1) await once()
    await expect(once()).rejects.toMatchObject(refused)
  })

  test('different records are limited too, and a large table is not searched without an index', async () => {
    await using crowd = await openCrowded()
    const names =
      'reviews_via_shop,reviews_via_shop.by.reviews_via_by,reviews_via_shop.by.reviews_via_by.shop'
    const all = crowd.db.read((tx) =>
      crowd.queries.expand(tx, shops, tx.list(shops, { limit: 1 }), names, ROOT),
    )
    await expect(all).rejects.toMatchObject(refused)
    await crowd.db.write('spread', (tx) => tx.run('UPDATE shops SET seq = seq * 1000000'))
    const scanned = crowd.db.read((tx) =>
      crowd.queries.expand(tx, authors, tx.list(authors), 'shops_via_staff', ROOT),
    )
    await expect(scanned).rejects.toThrow(/shops_via_staff has no index/)
  })

  test('more than 2,000 different records are refused, even if few of them are shown', async () => {
    await using crowd = await openCrowded()
    await crowd.db.write('own', (tx) =>
      tx.run('UPDATE shops SET owner = $ann WHERE id = $shop', { ann: idOf('ann'), shop: idOf('a') }),
    )
    const expandOne = (names: string) =>
      crowd.db.read((tx) =>
        crowd.queries.expand(tx, shops, tx.list(shops, { where: { id: idOf('a') } }), names, ROOT),
      )
    // 1,000 reviews of the shop, and 1,000 of its owner.
    const [shop] = await expandOne('reviews_via_shop,owner')
    expect(shop?.expand?.['reviews_via_shop']).toHaveLength(1_000)
    await expect(expandOne('reviews_via_shop,owner.reviews_via_by')).rejects.toMatchObject(refused)
  })

  test('names beyond the first 50 are not followed', async () => {
    await using crowd = await openCrowded()
    const expandAfter = async (count: number) => {
      const names = Array.from({ length: count }, (_, at) => `unknown${at}`)
      const [first] = await expandAll(crowd, [...names, 'shop'].join(','))
      return Object.keys(first?.expand ?? {})
    }
    expect([await expandAfter(49), await expandAfter(50)]).toEqual([['shop'], []])
  })
})
