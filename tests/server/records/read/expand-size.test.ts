import { expect, test } from 'bun:test'
import { quantumJobs } from '../../../../src/db/store/jobs/index.ts'
import { openTestServer } from '../../../support/server/server.ts'

test('related programs of 8 MiB in one response are refused; each time that one is shown counts', async () => {
  await using server = await openTestServer()
  const qpu = await server.createQpu('north')
  await server.db.write('jobs', (tx) => {
    for (let at = 0; at < 5; at += 1) {
      const text = at === 0 ? 'x'.repeat(1_900_000) : ''
      tx.insert(quantumJobs, { qpu_target: qpu.id, payload: { text } })
    }
  })
  // Every job of the page shows all jobs of its QPU, the large one among them.
  const list = (count: number) =>
    server.admin.get(
      `/api/collections/quantum_jobs/records?perPage=${count}&sort=-@rowid&expand=qpu_target.quantum_jobs_via_qpu_target`,
    )
  expect((await list(4)).status).toBe(200)
  const refused = await list(5)
  expect([refused.status, refused.get('code')]).toEqual([400, 'expand_too_large'])
})
