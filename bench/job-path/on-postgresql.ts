/**
 * The service with its database on PostgreSQL of this machine, behind a process that passes each byte on, as
 * another machine would: `bun bench/job-path/on-postgresql.ts [--rounds 3] [--rate 100]`. The reference, in
 * turns, is the same executable with its file.
 *
 * - submitted while jobs run: 8 clients, from the first submission to the end of the last job;
 * - at a steady pace: `--rate` submissions per second, while jobs run;
 * - the slowest response meanwhile, to a page, which needs no database, and to `GET /api/health`, which reads
 *   one row, each asked by another process 10 ms after its last response. At the end of each part all of its
 *   jobs are read at once; the reads of another caller take turns with them.
 *
 * The goals: 200 jobs per second, p99 of a submission of 50 ms, a loop that is never held longer than 50 ms.
 */
import { SQL } from 'bun'
import { startServer } from '../../tests/support/postgres/server.ts'
import { percentile, spreadOf } from '../support/figures.ts'
import { submitConcurrently } from '../support/job-rates.ts'
import { Lab } from '../support/lab.ts'
import { printTable, SPREAD_HEAD, spreadCells, startBench } from '../support/output.ts'

const JOBS = 1_000
const PACED = 500
const WARM_UP = 200
const ROUND_TRIPS = 1_000

const { rounds, rate } = startBench('The service on PostgreSQL', { rounds: '3', rate: '100' })
const found = new Map<string, number[]>()
const note = (name: string, value: number) => found.set(name, [...(found.get(name) ?? []), value])

/** Submits jobs at a steady pace; returns the ms that each submission took. */
async function submitPaced(lab: Lab): Promise<number[]> {
  const times: Promise<number>[] = []
  const ids: string[] = []
  const begun = performance.now()
  for (let at = 0; at < PACED; at += 1) {
    await Bun.sleep(Math.max(0, begun + (at * 1_000) / Number(rate) - performance.now()))
    const sent = performance.now()
    times.push(
      lab.submit().then((id) => {
        ids.push(id)
        return performance.now() - sent
      }),
    )
  }
  const all = await Promise.all(times)
  await lab.untilCompleted(ids)
  return all
}

/** Runs `work`; returns the ms of the slowest response of `lab` to each path. */
async function slowestDuring(
  lab: Lab,
  paths: readonly string[],
  work: () => Promise<void>,
): Promise<number[]> {
  const command = [process.execPath, `${import.meta.dir}/../support/probe.ts`, lab.service.url]
  const probes = paths.map((path) => Bun.spawn([...command, path], { stdin: 'pipe', stdout: 'pipe' }))
  try {
    await work()
    for (const { stdin } of probes) await stdin.end()
    return await Promise.all(probes.map(async ({ stdout }) => Number(await new Response(stdout).text())))
  } finally {
    for (const probe of probes) probe.kill()
  }
}

async function measure(name: string, lab: Lab): Promise<void> {
  const [page = 0, health = 0] = await slowestDuring(lab, ['/', '/api/health'], async () => {
    note(`${name}: jobs/s, submitted while jobs run`, await submitConcurrently(lab, JOBS))
    const times = await submitPaced(lab)
    note(`${name}: ms of a submission at ${rate}/s, p50`, percentile(times, 0.5))
    note(`${name}: ms of a submission at ${rate}/s, p99`, percentile(times, 0.99))
  })
  note(`${name}: ms of the slowest page`, page)
  note(`${name}: ms of the slowest health`, health)
}

async function roundTripMs(url: string): Promise<number> {
  const sql = new SQL({ url, max: 1 })
  const times: number[] = []
  for (let at = 0; at < ROUND_TRIPS; at += 1) {
    const sent = performance.now()
    await sql`SELECT 1`
    times.push(performance.now() - sent)
  }
  await sql.close()
  return percentile(times, 0.5)
}

await using postgres = await startServer({ flushes: true })
const { user, host, port, database } = await postgres.createDatabase()
const hop = Bun.spawn([process.execPath, `${import.meta.dir}/../support/hop.ts`, String(port)])
try {
  const { value: line } = await hop.stdout.getReader().read()
  const url = `postgres://${user}@${host}:${new TextDecoder().decode(line).trim()}/${database}`
  await using file = await Lab.open()
  await using remote = await Lab.open({ database: url })
  for (const lab of [file, remote]) {
    await lab.startDriver()
    await lab.untilCompleted(await lab.submitMany(WARM_UP, 8))
  }
  for (let round = 0; round < rounds; round += 1) {
    note('ms of a round trip to PostgreSQL, p50', await roundTripMs(url))
    await measure('file', file)
    await measure('PostgreSQL', remote)
  }
} finally {
  hop.kill()
}
printTable(
  [`${JOBS} and ${PACED} jobs in each round`, ...SPREAD_HEAD],
  [...found].map(([name, values]) => [name, ...spreadCells(spreadOf(values))]),
)
