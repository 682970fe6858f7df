import { expect, test } from 'bun:test'
import { createPlans } from '../../../src/db/schema/plan.ts'
import { events } from '../../../src/db/store/readings/index.ts'
import { eachRecord, toJsonLines } from '../../../src/db/transfer/index.ts'
import { readPage } from '../../../src/db/transfer/pages.ts'
import { openTestDatabase } from '../../support/database.ts'

const ROWS = 450

async function filled() {
  const test = await openTestDatabase()
  await test.db.write('fill', (tx) => {
    for (let at = 0; at < ROWS; at += 1) {
      tx.insert(events, { source: `s${at}`, type: at % 2 === 0 ? 'even' : 'odd', ts: 'now' })
    }
  })
  return test
}

test('eachRecord() yields every record once, in the order of insertion', async () => {
  await using test = await filled()
  const sources = (await Array.fromAsync(eachRecord(test.db, events))).map((record) => record['source'])
  expect(sources).toEqual(Array.from({ length: ROWS }, (_, at) => `s${at}`))
})

test('eachRecord() applies a selection', async () => {
  await using test = await filled()
  const selection = { condition: 'type = $type OR type = $none', params: { type: 'odd', none: '' } }
  expect((await Array.fromAsync(eachRecord(test.db, events, selection))).length).toBe(ROWS / 2)
})

test('eachRecord() holds no snapshot: writes continue while a slow client reads', async () => {
  await using test = await filled()
  const records = eachRecord(test.db, events)
  await records.next()
  await test.db.write('more', (tx) => tx.insert(events, { source: 'last', type: 'x', ts: 'now' }))
  expect((await Array.fromAsync(records)).at(-1)?.['source']).toBe('last')
})

test('readPage() ends a page after 4 MiB, so that large records are not in memory together', async () => {
  await using test = await openTestDatabase()
  await test.db.write('fill', (tx) => {
    for (let at = 0; at < 12; at += 1) {
      tx.insert(events, { source: `s${at}`, type: 'x', ts: 'now', payload: 'x'.repeat(1_000_000) })
    }
  })
  const plan = createPlans()(events)
  const page = await test.db.read((tx) => readPage(tx, events, plan, 0))
  expect(page.records.length).toBe(5)
  const all = await Array.fromAsync(toJsonLines(eachRecord(test.db, events)))
  expect(all.map((line) => JSON.parse(line).source)).toEqual(Array.from({ length: 12 }, (_, at) => `s${at}`))
})
