// Started by crash.test.ts, which kills it: adds records and prints each id only after its commit.
import { writeSync } from 'node:fs'
import { silentLog, systemClock } from '../../src/base/index.ts'
import { openDatabase } from '../../src/db/index.ts'
import { users } from '../../src/db/store/accounts/index.ts'
import { quantumJobs } from '../../src/db/store/jobs/index.ts'

const db = await openDatabase({ dir: process.argv[2] ?? '', clock: systemClock, log: silentLog })
for (;;) {
  const id = await db.write('add', (tx) => {
    const user = tx.insert(users, { qpu_seconds: 1 })
    const job = tx.insert(quantumJobs, { user_id: user.id, payload: { text: 'x'.repeat(2_000) } })
    tx.update(quantumJobs, job.id, { status: 'cancelled', finished_at: tx.at }, { status: 'pending' })
    return job.id
  })
  writeSync(1, `${id}\n`)
}
