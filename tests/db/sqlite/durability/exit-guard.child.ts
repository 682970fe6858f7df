// Started by exit-guard.test.ts: writes, and ends in the way that it is told without closing the database.
import { writeSync } from 'node:fs'
import { silentLog, systemClock } from '../../../../src/base/index.ts'
import { openDatabase } from '../../../../src/db/index.ts'

const [dir = '', how = ''] = process.argv.slice(2)
const db = await openDatabase({ dir, clock: systemClock, log: silentLog })
for (let n = 0; n < 20; n += 1) {
  await db.write('add', (tx) =>
    tx.run('INSERT INTO meta (key, value) SELECT $key, 1', { key: `${how} ${n}` }),
  )
}
writeSync(1, 'acknowledged')
// On its way when the process ends.
void db.write('add', (tx) => tx.run('INSERT INTO meta (key, value) SELECT $key, 1', { key: `${how} late` }))
await new Promise((resolve) => setImmediate(resolve))
if (how === 'exit') process.exit(1)
if (how === 'reject') void Promise.reject(new Error('nobody catches this'))
else throw new Error('nobody catches this')
