import { expect, test } from 'bun:test'
import { quantumJobs } from '../../../src/db/store/jobs/index.ts'
import { utilizationStatement } from '../../../src/db/store/qpus/index.ts'
import { FakeClock } from '../../support/fake-clock.ts'
import { onlySqlite } from '../../support/postgres/only-sqlite.ts'
import { openTestServer } from '../../support/server/server.ts'

interface Utilization {
  qpus: { name: string; days: { day: string; jobs: number; qpu_seconds: number; share: number }[] }[]
}

/** A server at 10 June 2026, 06:00 UTC. */
async function openAtSix() {
  const clock = new FakeClock()
  await clock.advance(Date.UTC(2026, 5, 10, 6) - clock.now())
  return openTestServer({ clock })
}

test('the days of each QPU have the time of the jobs that ended on them, today a share of the time until now', async () => {
  await using server = await openAtSix()
  const south = await server.createQpu('south')
  const north = await server.createQpu('north')
  const user = await server.createUser()
  await server.db.write('jobs', (tx) => {
    const add = (
      qpu: string,
      finished_at: string,
      duration: number,
      { status = 'completed', claimed = true }: { status?: 'completed' | 'failed'; claimed?: boolean } = {},
    ) => {
      const job = { user_id: user.id, payload: { circuits: [] }, status, finished_at, duration, attempt: 1 }
      const { id } = tx.insert(quantumJobs, job)
      const at = claimed ? '2026-06-01 00:00:00.000Z' : ''
      tx.run('UPDATE quantum_jobs SET claimed_at = $at, qpu = $qpu WHERE id = $id', { id, at, qpu })
    }
    add(north.id, '2026-06-10 05:00:00.000Z', 3_600)
    add(north.id, '2026-06-10 05:30:00.000Z', 1_800)
    add(north.id, '2026-06-08 23:59:59.999Z', 43_200)
    add(north.id, '2026-06-07 23:59:59.999Z', 60)
    add('removed', '2026-06-09 12:00:00.000Z', 60)
    add(south.id, '2026-06-09 12:00:00.000Z', 60, { status: 'failed', claimed: false })
    add(south.id, '2026-06-09 12:00:00.000Z', 60, { claimed: false })
  })
  const read = async (query: string) =>
    (await server.admin.get(`/api/op/utilization${query}`)).body as Utilization
  const { qpus } = await read('?days=3')
  expect(qpus.map(({ name }) => name)).toEqual(['north', 'south'])
  expect(qpus[0]?.days).toEqual([
    { day: '2026-06-08', jobs: 1, qpu_seconds: 43_200, share: 0.5 },
    { day: '2026-06-09', jobs: 0, qpu_seconds: 0, share: 0 },
    { day: '2026-06-10', jobs: 2, qpu_seconds: 5_400, share: 0.25 },
  ])
  expect(qpus[1]?.days.every(({ jobs }) => jobs === 0)).toBe(true)
  expect((await read('')).qpus[0]?.days).toHaveLength(14)
  expect((await read('?days=3&skip=1')).qpus.map(({ name }) => name)).toEqual(['south'])
  expect((await server.admin.get('/api/op/utilization?days=32')).status).toBe(400)
})

test.skipIf(onlySqlite('its plans'))('the jobs of a QPU and time are found by an index', async () => {
  await using server = await openAtSix()
  const { sql, params } = utilizationStatement(server.db, {
    qpus: ['north'],
    from: '2026-06-01 00:00:00.000Z',
  })
  const plan = await server.db.read((tx) => tx.explain(sql, params))
  expect(plan.join('\n')).toMatch(/SEARCH quantum_jobs USING INDEX \S+ \(qpu=\? AND finished_at>\?\)/)
})
