// Started by checkpoints.test.ts, which kills it: writes large records and prints each key after its commit.
import { writeSync } from 'node:fs'
import { armFailpoint, silentLog, systemClock } from '../../../../src/base/index.ts'
import { openDatabase } from '../../../../src/db/index.ts'

const [dir = '', prefix = '', failpoint] = process.argv.slice(2)
const db = await openDatabase({ dir, clock: systemClock, log: silentLog })
armFailpoint(failpoint)
for (let n = 0; ; n += 1) {
  const key = `${prefix}-${n}`
  await db.write('add', (tx) =>
    tx.run('INSERT INTO meta (key, value) SELECT $key, hex(zeroblob(400000))', { key }),
  )
  writeSync(1, `${key}\n`)
}
