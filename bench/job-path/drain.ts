/**
 * What a job costs when the queue is full, beside other queues that flush each step: `bun
 * bench/job-path/drain.ts [EXECUTABLE…] [--qpus 1,4,16] [--jobs 1500] [--warm 500] [--rounds 5]
 * [--page yes]`. Without executables, the one of this folder; all of them and the peers that are installed
 * (PostgreSQL, Redis, NATS) take turns in each round, so that other load on the machine affects all.
 *
 * Server and workers have run `--warm` jobs for each QPU before; the queue fills while no worker takes jobs.
 * Rates count from the end of the first job to the end of the last. Processor time is that of all threads
 * and child processes; the workers of `svc` are its `mock` drivers with their device processes, those of the
 * peers connections of this one process that execute nothing. Bytes of PostgreSQL are those of its log.
 * Flushes are counted in a round of their own. With `--page yes` the table replaces that of
 * `docs/benchmarks/job-path.md`.
 */
import { loadavg } from 'node:os'
import { temporaryFolder } from '../../tests/support/temporary-folder.ts'
import { countFlushes } from '../support/count-flushes.ts'
import { percentile } from '../support/figures.ts'
import { printHead, printRow, startBench, tableOf } from '../support/output.ts'
import { writeSection } from '../support/page.ts'
import { usedMs } from '../support/processor-time.ts'
import { writtenBytes } from '../support/written-bytes.ts'
import type { Cost, StartContestant } from './contestant.ts'
import { readContestants } from './contestants.ts'

/** Jobs of the round that counts flushes. */
const COUNTED = 200

const compared = readContestants()
const flags = { qpus: '1,4,16', jobs: '1500', warm: '500', page: 'no' }
const { rounds, qpus, jobs, warm, page } = startBench('A full queue', flags)
const loadBefore = loadavg()[0] ?? 0
const count = Number(jobs)

/** Jobs that end while the queue is full, and what they cost. */
async function measure(start: StartContestant, width: number): Promise<Cost> {
  using folder = temporaryFolder()
  await using contestant = await start(folder.path, width)
  await contestant.fill(Number(warm) * width)
  await contestant.drain()
  await contestant.fill(count)
  const { server, workers } = contestant
  const read = async () => ({
    server: sumOf(server, usedMs),
    // The servers of the peers are children of this process.
    workers: sumOf(workers, (pid) =>
      pid === process.pid ? process.cpuUsage().user / 1e3 + process.cpuUsage().system / 1e3 : usedMs(pid),
    ),
    written: ((await contestant.written?.()) ?? sumOf(server, writtenBytes)) / 1_000,
  })
  const before = await read()
  const rateOf = await contestant.drain()
  // Before the ends of the jobs are read, which no job of a queue costs.
  const after = await read()
  const rate = await rateOf()
  return {
    rate,
    server: (after.server - before.server) / count,
    workers: (after.workers - before.workers) / count,
    written: (after.written - before.written) / count,
  }
}

/** Flushes per job of the server, and of the workers if they are processes of their own. */
async function flushes(start: StartContestant, width: number): Promise<[number, number]> {
  const count = async (side: 'server' | 'workers') => {
    using folder = temporaryFolder()
    await using contestant = await start(folder.path, width)
    await contestant.fill(COUNTED)
    const pids = contestant[side].filter((pid) => pid !== process.pid)
    return (await countFlushes(pids, () => contestant.drain())) / COUNTED
  }
  return [await count('server'), await count('workers')]
}

function sumOf(pids: readonly number[], read: (pid: number) => number): number {
  return pids.reduce((sum, pid) => sum + read(pid), 0)
}

const head = ['', 'QPUs', 'jobs/s', 'server, ms', 'workers, ms', 'KB written', 'flushes', 'of workers']
const columns: (keyof Cost)[] = ['rate', 'server', 'workers', 'written']
const rows: (string | number)[][] = []
printHead(head)
for (const width of qpus.split(',').map(Number)) {
  const seen = new Map<string, Cost[]>()
  for (let round = 0; round < rounds; round++) {
    const turns = round % 2 ? [...compared] : [...compared].toReversed()
    for (const [name, start] of turns) {
      seen.set(name, [...(seen.get(name) ?? []), await measure(start, width)])
    }
  }
  for (const [name, start] of compared) {
    const costs = seen.get(name) ?? []
    const medianOf = (column: keyof Cost) =>
      percentile(
        costs.map((cost) => cost[column]),
        0.5,
      )
    const row = [name, String(width), ...columns.map(medianOf), ...(await flushes(start, width))]
    rows.push(row)
    printRow(row)
  }
}
if (page === 'yes') {
  const command = `bun bench/job-path/drain.ts --qpus ${qpus} --jobs ${jobs} --warm ${warm} --rounds ${rounds}`
  const text = `Medians of ${rounds === 1 ? '1 round' : `${rounds} rounds`} in turns, per job.\n\n${tableOf(head, rows)}`
  await writeSection('job-path.md', {
    heading: 'What a job costs when the queue is full',
    command,
    loadBefore,
    text,
  })
}
