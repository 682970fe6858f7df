import { expect, test } from 'bun:test'
import type { Database } from '../../../../src/db/index.ts'
import { deleteJob } from '../../../../src/db/store/jobs/index.ts'
import {
  declareRecall,
  hasUnsettledJobs,
  listOpenRecalls,
  settleJobs,
  undoRecall,
} from '../../../../src/db/store/recalls/index.ts'
import { claimNow, JobLab } from '../../../support/server/job-lab.ts'

const ORDER = { actor: 'superuser:test', reason: 'a bad fit' }

async function refundAll(db: Database): Promise<void> {
  const due = await db.read((tx) => listOpenRecalls(tx).filter((recall) => hasUnsettledJobs(tx, recall)))
  for (const recall of due) while (!(await db.write('refund', (tx) => settleJobs(tx, recall)))) await 0
}

const refunded = (db: Database) =>
  db.read((tx) =>
    tx
      .all<{ ms: number }>(
        "SELECT sum(delta_ms) AS ms FROM qpu_ledger WHERE kind = 'refund' GROUP BY substr(source_id, 1, length(source_id) - 7)",
      )
      .map(({ ms }) => ms),
  )

async function ran(lab: JobLab) {
  const qpu = await lab.qpu()
  const target = await lab.attach(qpu.driver)
  const user = await lab.user()
  const claim = async () => {
    const job = await lab.submit(user, qpu.id)
    await lab.db.write('claim', (tx) => claimNow(tx, job.id, target))
    await lab.clock.advance(10)
    return job.id
  }
  const complete = async (job: string) => {
    await lab.complete(job)
    await lab.clock.advance(10)
    return job
  }
  const recall = (from: number, to = lab.clock.now()) =>
    lab.db.write('recall', (tx) => declareRecall(tx, { qpu: qpu.id, from, to }, ORDER))
  const undo = async ({ id }: { id: string }) => {
    await lab.db.write('undo', (tx) => undoRecall(tx, id, ORDER))
    await refundAll(lab.db)
  }
  const open = () => lab.db.read(listOpenRecalls)
  return { user, claim, complete, recall, undo, open }
}

test('a removed job is deducted again when the last recall of it is withdrawn', async () => {
  await using lab = await JobLab.open()
  const { user, claim, complete, recall, undo } = await ran(lab)
  const from = lab.clock.now()
  const jobs = [await complete(await claim()), await complete(await claim())]
  const charged = await lab.balance(user)
  const one = await recall(from)
  const other = await recall(from + 1)
  await refundAll(lab.db)
  expect(await lab.balance(user)).toBe(charged + 20)
  for (const job of jobs) await lab.db.write('remove', (tx) => deleteJob(tx, job))
  await undo(one)
  expect(await lab.balance(user)).toBe(charged + 20)
  await undo(other)
  expect(await lab.balance(user)).toBe(charged)
  expect(await refunded(lab.db)).toEqual([0, 0])
  const left = await lab.db.read((tx) => tx.all('SELECT * FROM recalled_jobs'))
  expect(left).toEqual([])
})

test('a recall is settled as soon as no job can touch it any more, also on a QPU that rests', async () => {
  await using lab = await JobLab.open()
  const { claim, complete, recall, undo, open } = await ran(lab)
  const from = lab.clock.now()
  await complete(await claim())
  const past = await recall(from)
  await lab.clock.advance(10)
  await refundAll(lab.db)
  expect(await open()).toEqual([])
  const running = await claim()
  const during = await recall(from, lab.clock.now() - 1)
  await refundAll(lab.db)
  expect(await open()).toEqual([during.id])
  await complete(running)
  await refundAll(lab.db)
  expect(await open()).toEqual([])
  expect(await refunded(lab.db)).toEqual([10, 10])
  await undo(past)
  expect(await open()).toEqual([])
})
