import { expect, test } from 'bun:test'
import { writeFileSync } from 'node:fs'
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { GATED } from '../../support/devices/gated.ts'
import { outboxIds } from '../../support/outbox-ids.ts'
import { openTestServer, startDriverProcess } from '../../support/server/server.ts'
import { until } from '../../support/until.ts'

test('the result of a job that the server does not know stays on the driver', async () => {
  await using server = await openTestServer()
  const user = await server.createUser({ qpuSeconds: 10 })
  const { token } = await server.createQpu('north')
  const gate = join(server.folder, 'gate')
  const gated = { device: GATED, options: [`gate=${gate}`] }
  await using _driver = await startDriverProcess(server, { token, name: 'north', ...gated })
  const circuit = 'OPENQASM 3.0; qubit q; bit c; c = measure q;'
  const submitted = await server.as(user).post('/api/jobs', { circuits: [{ circuit }], qpu_target: 'north' })
  const id = submitted.text('id')
  const isRunning = async () => (await server.as(user).get(`/api/jobs/${id}`)).get('status') === 'running'
  await until('the job runs', isRunning)
  // As in a database restored from a backup that is older than the job.
  await server.db.write('forget the job', (tx) => {
    tx.run('DELETE FROM job_attempts WHERE job = $id', { id })
    tx.run('DELETE FROM quantum_jobs WHERE id = $id', { id })
  })
  writeFileSync(gate, '')
  const folder = join(server.folder, 'driver-north', 'data')
  const files = await until('the result is kept', async () => {
    const names = await readdir(join(folder, 'orphaned'))
    return names.length > 0 && names
  })
  expect(files).toEqual([`${id}.1.json`])
  const event = JSON.parse(await readFile(join(folder, 'orphaned', `${id}.1.json`), 'utf8'))
  expect(event).toMatchObject({ type: 'JobResult', payload: { job: id, status: 'completed' } })
  expect(event.payload.results.counts).toBeDefined()
  await until('the outbox is empty', async () => (await outboxIds(join(folder, 'outbox'))).length === 0)
})
