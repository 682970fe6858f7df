import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test'
import { closeRow, faultRuns } from '../../support/faults/fault-runs.ts'
import { postgresMissing } from '../../support/postgres/server.ts'
import { TwoServers } from '../../support/postgres/two-servers.ts'

// F29: of two servers that share a large database, the one that leads is lost.
const RUNS = faultRuns(1)
const FILL_MS = 600_000
setDefaultTimeout(FILL_MS + RUNS * 60_000)
const PENDING = 100_000
const ENDED = 1_000_000
/** Promised, and measured alone with `FAULT_RUNS`; other tests delay both servers. */
const MAX_TAKEOVER_MS = process.env['FAULT_RUNS'] === undefined ? 30_000 : 5_000

if (postgresMissing) console.warn(`tests of two servers do not run: ${postgresMissing}`)

/** The time at which the job `i` was submitted and ended. */
const AT = `to_char(timestamptz '2026-01-01' + i * interval '1 second', 'YYYY-MM-DD HH24:MI:SS.MS"Z"')`
const PAYLOAD = `'{"shots":100,"circuits":[{"circuit":"OPENQASM 3.0; qubit[2] q;"}]}'`
const entry = (event: string, attempt: number) => `'["' || ${AT} || '","${event}",${attempt},""]'`
const historyOf = (...entries: string[]) => entries.join(" || ',' || ")

/** Stores jobs as a server does, without their sums, which the next start adds up; no server runs. */
async function fill(both: TwoServers, { user, qpu }: { user: string; qpu: string }): Promise<void> {
  const ended = historyOf(entry('submitted', 0), entry('claimed', 1), entry('completed', 1))
  await both.all(`SET session_replication_role = replica;
    INSERT INTO quantum_jobs (id, user_id, qpu_target, payload, status, finished_at, duration, results,
      started_at, attempt, qubits, driver, qpu, claimed_at, epoch, history, created, updated)
    SELECT 'job' || lpad(i::text, 12, '0'), '${user}', '${qpu}', ${PAYLOAD}, 'completed', ${AT}, 0.005,
      '{"counts":[{"00":50,"11":50}]}', ${AT}, 1, 2, 'earlier', '${qpu}', ${AT}, 1, ${ended}, ${AT}, ${AT}
    FROM generate_series(1, ${ENDED}) i;
    INSERT INTO quantum_jobs (id, user_id, qpu_target, payload, status, qubits, history, created, updated)
    SELECT 'wait' || lpad(i::text, 11, '0'), '${user}', '${qpu}', ${PAYLOAD}, 'pending', 2,
      ${entry('submitted', 0)}, ${AT}, ${AT}
    FROM generate_series(1, ${PENDING}) i;
    SET session_replication_role = origin`)
  for (const sql of ['VACUUM ANALYZE quantum_jobs', 'CHECKPOINT']) await both.all(sql)
}

describe.skipIf(postgresMissing !== undefined)('F29 two servers share a large database', () => {
  let both: TwoServers
  beforeAll(async () => {
    both = await TwoServers.start()
    const { id: user } = await both.leader.createUser(1e9)
    const { id: qpu } = await both.leader.createQpu('idle')
    await both.standby.stop()
    await both.leader.stop()
    await fill(both, { user, qpu })
    both.leader.launch()
    await both.untilLeads(both.leader, FILL_MS)
    await both.startStandby()
  })
  afterAll(() => both?.[Symbol.asyncDispose]())

  test(`with ${PENDING} pending and ${ENDED} ended jobs the other one leads within seconds`, async () => {
    const times: number[] = []
    for (let run = 0; run < RUNS; run += 1) {
      await both.leader.stop('SIGKILL')
      times.push(await both.takeover())
      const metrics = await (await fetch(`${both.leader.url}/metrics`)).text()
      expect(metrics).toContain(`svc_jobs{status="pending"} ${PENDING}\n`)
      expect(both.leader.log).not.toContain('invariant')
      await both.startStandby()
    }
    const [sums] = await both.all(
      `SELECT count(*)::int AS charges, (SELECT sum(jobs)::int FROM qpu_usage) AS used FROM qpu_ledger
       WHERE kind = 'charge'`,
    )
    expect(sums).toEqual({ charges: ENDED, used: ENDED })
    closeRow('F29 large database', { runs: RUNS, takeover: times.map(Math.round).join(', ') })
    expect(Math.max(...times)).toBeLessThan(MAX_TAKEOVER_MS)
  })
})
