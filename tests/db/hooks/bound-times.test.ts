import { expect, test } from 'bun:test'
import { DAY_MS, toTimestamp } from '../../../src/base/index.ts'
import { BOUNDED_TIMES, boundReports, boundTimes } from '../../../src/db/hooks/bound-times.ts'
import type { Tx } from '../../../src/db/records/tx.ts'
import { openOnFile } from '../../support/database.ts'

class Undone extends Error {}

const AHEAD_MS = 3_650 * DAY_MS

/** A row of a table with all bounded times ahead of now; texts are the same, so that rows belong together. */
function insertAhead(tx: Tx, table: string): void {
  const ahead = new Map(
    BOUNDED_TIMES.flatMap((time) => (time.table === table ? [[time.column, time.unit]] : [])),
  )
  const columns = tx.all<{ name: string; type: string; hidden: number }>(
    'SELECT name, type, hidden FROM pragma_table_xinfo($table)',
    { table },
  )
  const fillerOf = (name: string, type: string) => {
    const ms = tx.now + AHEAD_MS
    const unit = ahead.get(name)
    if (unit) return { text: toTimestamp(ms), ms, s: Math.floor(ms / 1_000) }[unit as 'text' | 'ms' | 's']
    if (type !== 'TEXT') return 1
    return name === 'state' ? 'pending' : 'x'
  }
  const filled = columns.filter(({ hidden }) => hidden === 0)
  const values = Object.fromEntries(filled.map(({ name, type }, at) => [`v${at}`, fillerOf(name, type)]))
  const names = filled.map(({ name }) => `"${name}"`).join(', ')
  tx.run(`INSERT INTO ${table} (${names}) VALUES (${filled.map((_, at) => `$v${at}`).join(', ')})`, values)
}

test('each bounded time that is ahead of now is now afterwards', async () => {
  await using test = await openOnFile()
  const found: unknown[] = []
  const work = test.db.write('bound', (tx) => {
    // What is inserted refers to nothing, and is undone.
    tx.run('PRAGMA defer_foreign_keys = ON')
    tx.run('PRAGMA ignore_check_constraints = ON')
    for (const table of new Set(BOUNDED_TIMES.map((time) => time.table))) insertAhead(tx, table)
    boundReports(tx, tx.now + 1)
    boundTimes(tx)
    for (const { table, column } of BOUNDED_TIMES)
      found.push([table, column, tx.one(`SELECT "${column}" AS value FROM ${table}`)])
    throw new Undone()
  })
  await expect(work).rejects.toThrow(Undone)
  const now = test.clock.now()
  const bounds = { text: toTimestamp(now), ms: now, s: Math.floor(now / 1_000) }
  expect(found).toEqual(
    BOUNDED_TIMES.map(({ table, column, unit }) => [table, column, { value: bounds[unit] }]),
  )
})
