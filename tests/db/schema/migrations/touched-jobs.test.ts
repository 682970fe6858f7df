import { expect, test } from 'bun:test'
import type { Database } from '../../../../src/db/index.ts'
import { touchedJobs } from '../../../../src/db/schema/migrations/0018-touched-jobs.ts'
import {
  declareRecall,
  listOpenRecalls,
  settleJobs,
  undoRecall,
} from '../../../../src/db/store/recalls/index.ts'
import { claimNow, JobLab } from '../../../support/server/job-lab.ts'

const ORDER = { actor: 'superuser:test', reason: 'a bad fit' }

async function settleAll(db: Database): Promise<void> {
  for (const recall of await db.read(listOpenRecalls))
    while (!(await db.write('refund', (tx) => settleJobs(tx, recall)))) await 0
}

const rowsOf = (db: Database, table: string) => db.read((tx) => tx.all(`SELECT * FROM ${table}`))

test('the withdrawal of a recall whose jobs were not stored deducts what was refunded', async () => {
  await using lab = await JobLab.open()
  const qpu = await lab.qpu()
  const target = await lab.attach(qpu.driver)
  const user = await lab.user()
  const from = lab.clock.now()
  for (let at = 0; at < 30; at++) {
    const { id } = await lab.submit(user, qpu.id)
    await lab.db.write('claim', (tx) => claimNow(tx, id, target))
    await lab.clock.advance(10)
    await lab.complete(id)
    await lab.clock.advance(10)
  }
  const charged = await lab.balance(user)
  const recall = await lab.db.write('recall', (tx) =>
    declareRecall(tx, { qpu: qpu.id, from, to: lab.clock.now() }, ORDER),
  )
  await lab.clock.advance(10)
  await settleAll(lab.db)
  const refunded = await lab.balance(user)
  expect(refunded).toBe(charged + 300)
  const stored = await rowsOf(lab.db, 'recalled_jobs')
  const ledger = await rowsOf(lab.db, 'qpu_ledger')
  const notices = await rowsOf(lab.db, 'notifications')
  expect([stored.length, notices.length]).toEqual([30, 1])

  await lab.db.write('as before', (tx) => tx.run('DELETE FROM recalled_jobs'))
  await lab.db.write('migrate', (tx) => {
    for (const step of touchedJobs.statements) {
      if (typeof step === 'object' && 'statement' in step) tx.run(step.statement)
    }
  })
  await settleAll(lab.db)
  // Nothing is refunded or said twice.
  expect(await rowsOf(lab.db, 'recalled_jobs')).toEqual(stored)
  expect(await rowsOf(lab.db, 'qpu_ledger')).toEqual(ledger)
  expect(await rowsOf(lab.db, 'notifications')).toEqual(notices)
  expect(await lab.balance(user)).toBe(refunded)

  await lab.db.write('undo', (tx) => undoRecall(tx, recall.id, ORDER))
  await settleAll(lab.db)
  expect(await lab.balance(user)).toBe(charged)
})
