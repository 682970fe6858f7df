import { expect, test } from 'bun:test'
import { createPlans } from '../../../src/db/schema/plan.ts'
import { events } from '../../../src/db/store/readings/index.ts'
import { readPage } from '../../../src/db/transfer/pages.ts'
import type { TestDatabase } from '../../support/database.ts'
import { openTestDatabase } from '../../support/database.ts'

/** A database with events from the sources s0, s1, … */
async function filled(count: number, payload = '') {
  const test = await openTestDatabase()
  await test.db.write('fill', (tx) => {
    for (let at = 0; at < count; at += 1)
      tx.insert(events, { source: `s${at}`, type: 'x', ts: 'now', payload })
  })
  return test
}

/** The sources of the events of each page. */
async function pagesOf({ db }: TestDatabase): Promise<unknown[][]> {
  const plan = createPlans()(events)
  const pages: unknown[][] = []
  for (let after = 0; ; ) {
    const { records, last } = await db.read((tx) => readPage(tx, events, plan, after))
    if (last === undefined) return pages
    pages.push(records.map((record) => record['source']))
    after = last
  }
}

test.each([
  ['200 records', 450, '', [200, 200, 50]],
  ['4 MiB, so that large records are not in memory together', 12, 'x'.repeat(1_000_000), [5, 5, 2]],
])(
  'readPage() ends a page after %s; all have every record once, in order',
  async (_, count, payload, sizes) => {
    await using test = await filled(count, payload)
    const pages = await pagesOf(test)
    expect(pages.map(({ length }) => length)).toEqual(sizes)
    expect(pages.flat()).toEqual(Array.from({ length: count }, (_, at) => `s${at}`))
  },
)
