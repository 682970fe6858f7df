import { chownSync, mkdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { type ReservedSQL, SQL } from 'bun'
import { freePort } from '../../tests/support/free-port.ts'
import { until } from '../../tests/support/until.ts'
import { type Contestant, drainBy, fillBy, PAYLOAD, RESULT } from './contestant.ts'

const TABLE = `CREATE TABLE jobs (id bigserial PRIMARY KEY, payload text NOT NULL, state text NOT NULL DEFAULT 'pending',
  claimed_at timestamptz, ended_at timestamptz, result text)`
const INDEX = `CREATE INDEX jobs_pending ON jobs (id) WHERE state = 'pending'`

/**
 * A table of jobs in PostgreSQL with `fsync` on, each step one commit: insert, claim with `SKIP LOCKED`,
 * acknowledgement with the result. The workers are connections of this process. PostgreSQL does not run as
 * root: then its own user runs it.
 */
export async function postgresql(folder: string, width: number): Promise<Contestant> {
  const data = join(folder, 'data')
  mkdirSync(data)
  const isRoot = process.getuid?.() === 0
  if (isRoot) {
    const id = Number(await Bun.$`id -u postgres`.text())
    await Bun.$`chmod 711 ${folder}`.quiet()
    chownSync(data, id, id)
  }
  const as = isRoot ? ['runuser', '-u', 'postgres', '--'] : []
  await Bun.$`${as} initdb -D ${data} -A trust -U bench --no-locale -E UTF8`.cwd('/').quiet()
  const port = freePort()
  const options = ['-c', 'listen_addresses=127.0.0.1', '-c', 'unix_socket_directories=', '-c', 'fsync=on']
  const started = Bun.spawn([...as, 'postgres', '-D', data, '-p', String(port), ...options], {
    cwd: '/',
    stdio: ['ignore', 'ignore', 'ignore'],
  })
  const sql = new SQL({ url: `postgres://bench@127.0.0.1:${port}/postgres`, max: Math.max(16, width) + 1 })
  await until('PostgreSQL to respond', async () => (await sql`SELECT 1`).length === 1)
  await sql.unsafe(TABLE)
  await sql.unsafe(INDEX)
  const pid = Number(readFileSync(join(data, 'postmaster.pid'), 'utf8').split('\n')[0])
  const insert = () => sql`INSERT INTO jobs (payload) VALUES (${PAYLOAD})`
  const step = async (own: ReservedSQL | SQL) => {
    const [job] = await own`UPDATE jobs SET state = 'running', claimed_at = now() WHERE id =
      (SELECT id FROM jobs WHERE state = 'pending' ORDER BY id LIMIT 1 FOR UPDATE SKIP LOCKED) RETURNING id, payload`
    if (!job) return false
    await own`UPDATE jobs SET state = 'ended', ended_at = now(), result = ${RESULT} WHERE id = ${job.id}`
    return true
  }
  return {
    server: [pid],
    workers: [process.pid],
    // Bytes of its log: the system counts large pages of that file for each commit.
    async written() {
      const [log] = await sql`SELECT (pg_current_wal_lsn() - '0/0'::pg_lsn)::float8 AS bytes`
      return Number(log.bytes)
    },
    fill: (count) => fillBy(count, insert),
    async drain() {
      const own = await Promise.all(Array.from({ length: width }, () => sql.reserve()))
      const rate = await drainBy(width, (worker) => step(own[worker] ?? sql))
      for (const each of own) each.release()
      return rate
    },
    async runOne() {
      const begun = performance.now()
      await insert()
      await step(sql)
      return performance.now() - begun
    },
    async [Symbol.asyncDispose]() {
      await sql.close()
      process.kill(pid, 'SIGINT')
      await started.exited
    },
  }
}
