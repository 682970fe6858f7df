/**
 * Duration of one job at a steady pace, beside other queues that flush each step and what no queue can avoid:
 * `bun bench/job-path/paced.ts [EXECUTABLE…] [--rates 1,10,50] [--jobs 40] [--rounds 3] [--page yes]`.
 *
 * `svc`: from the first byte of the submission until the event stream reports the completion. The peers:
 * insert, claim and acknowledgement, one after the other, in one process. The reference: three times 4 KB
 * appended and flushed, and one round trip over a socket of this machine, at the same pace, because disk and
 * processor are slower when they were idle. All are warm and take turns in each round.
 */
import { open } from 'node:fs/promises'
import { loadavg } from 'node:os'
import { join } from 'node:path'
import { temporaryFolder } from '../../tests/support/temporary-folder.ts'
import { percentile } from '../support/figures.ts'
import { printHead, printRow, startBench, tableOf } from '../support/output.ts'
import { writeSection } from '../support/page.ts'
import type { Contestant, StartContestant } from './contestant.ts'
import { readContestants } from './contestants.ts'

const REFERENCE = 'three flushes and a round trip'
const WARM = 200
const BLOCK = Buffer.alloc(4_096, 'x')

const compared = new Map<string, StartContestant>([...readContestants(), [REFERENCE, reference]])
const flags = { rates: '1,10,50', jobs: '40', page: 'no' }
const { rounds, rates, jobs, page } = startBench('Jobs at a steady pace', flags)
const loadBefore = loadavg()[0] ?? 0

async function reference(folder: string): Promise<Contestant> {
  const file = await open(join(folder, 'flushed'), 'w')
  const server = Bun.listen({
    hostname: '127.0.0.1',
    port: 0,
    socket: { data: (socket, bytes) => void socket.write(bytes) },
  })
  let back = Promise.withResolvers<void>()
  const client = await Bun.connect({
    hostname: '127.0.0.1',
    port: server.port,
    socket: { data: () => back.resolve() },
  })
  return {
    server: [],
    workers: [],
    fill: async () => undefined,
    drain: async () => async () => Number.NaN,
    async runOne() {
      const begun = performance.now()
      for (let flush = 0; flush < 3; flush++) {
        await file.write(BLOCK)
        await file.datasync()
      }
      back = Promise.withResolvers()
      client.write(BLOCK.subarray(0, 400))
      await back.promise
      return performance.now() - begun
    },
    async [Symbol.asyncDispose]() {
      client.end()
      server.stop(true)
      await file.close()
    },
  }
}

/** Durations of jobs that begin `perSecond` times a second, in ms. */
async function pace(start: StartContestant, perSecond: number): Promise<number[]> {
  using folder = temporaryFolder()
  await using contestant = await start(folder.path, 1)
  for (let job = 0; job < WARM; job++) await contestant.runOne()
  const times: number[] = []
  let next = performance.now()
  for (let job = 0; job < Number(jobs); job++) {
    next += 1_000 / perSecond
    await Bun.sleep(Math.max(0, next - performance.now()))
    times.push(await contestant.runOne())
  }
  return times
}

const head = ['', 'per s', 'p50, ms', 'p90, ms', 'p50 / reference']
const rows: (string | number)[][] = []
printHead(head)
for (const rate of rates.split(',').map(Number)) {
  const seen = new Map<string, { p50: number; p90: number }[]>()
  for (let round = 0; round < rounds; round++) {
    for (const [name, start] of round % 2 ? compared : [...compared].toReversed()) {
      const times = await pace(start, rate)
      const figures = { p50: percentile(times, 0.5), p90: percentile(times, 0.9) }
      seen.set(name, [...(seen.get(name) ?? []), figures])
    }
  }
  const medianOf = (name: string, column: 'p50' | 'p90') =>
    percentile(
      (seen.get(name) ?? []).map((each) => each[column]),
      0.5,
    )
  for (const name of compared.keys()) {
    const p50 = medianOf(name, 'p50')
    const row = [name, String(rate), p50, medianOf(name, 'p90'), p50 / medianOf(REFERENCE, 'p50')]
    rows.push(row)
    printRow(row)
  }
}
if (page === 'yes') {
  const command = `bun bench/job-path/paced.ts --rates ${rates} --jobs ${jobs} --rounds ${rounds}`
  const text = `Medians of ${rounds === 1 ? '1 round' : `${rounds} rounds`} in turns.\n\n${tableOf(head, rows)}`
  await writeSection('job-path.md', { heading: 'Jobs at a steady pace', command, loadBefore, text })
}
