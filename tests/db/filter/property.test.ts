import { expect, test } from 'bun:test'
import fc from 'fast-check'
import type { FilterAst } from '../../../src/db/filter/index.ts'
import { filter, reread, world, written } from './arbitrary.ts'
import { ALL, authors, openLibrary, passports, ROOT, reviews, shops } from './library.ts'
import { listNow } from './list.ts'
import { evaluate, type Row, SENT, type World } from './reference.ts'

const WORLDS = 20
const FILTERS = 150

test('a parsed filter is the tree that was written', () => {
  fc.assert(
    fc.property(filter, (ast) => {
      const normal = (each: FilterAst): FilterAst =>
        each.kind === 'compare' ? each : { kind: each.kind, terms: each.terms.map(normal) }
      expect(reread(ast)).toEqual(normal(ast))
    }),
    { numRuns: 500 },
  )
})

test('random filters over random records find what an evaluator in memory finds', async () => {
  const requestInfo = { ...ROOT, query: SENT }
  let hits = 0
  const seed = Date.now()
  for (const [index, values] of fc.sample(world, { numRuns: WORLDS, seed }).entries()) {
    await using library = await openLibrary()
    const { db, queries } = library
    const stored: World = await db.write('seed', (tx) => {
      // Friends are created before the records that refer to them.
      for (const each of values.authors) tx.insert(authors, { ...each, friend: '' })
      const rows = (list: readonly object[]): Row[] => list.map((each) => ({ ...each }))
      return {
        authors: rows(
          values.authors.flatMap((each) => tx.update(authors, each.id, { friend: each.friend }) ?? []),
        ),
        shops: rows(values.shops.map((each) => tx.insert(shops, each))),
        reviews: rows(values.reviews.map((each) => tx.insert(reviews, each))),
        passports: rows(values.passports.map((each) => tx.insert(passports, each))),
      }
    })
    await db.read((tx) => {
      const agree = (ast: FilterAst) => {
        const text = written(ast)
        const page = listNow(queries, tx, shops, { ...ALL, rule: '', requestInfo, filter: text })
        const found = page.items.map(({ id }) => id)
        const expected = evaluate(ast, 'shops', stored)
        if (found.length > 0 && found.length < 4) hits++
        expect({ text, found, total: page.totalItems }).toEqual({
          text,
          found: expected,
          total: expected.length,
        })
      }
      fc.assert(fc.property(filter, agree), { numRuns: FILTERS, seed: seed + index })
    })
  }
  // The comparison has little value when filters match all records or none.
  expect(hits).toBeGreaterThan((WORLDS * FILTERS) / 10)
}, 300_000)
