/**
 * Jobs per second through one `mock` driver, end to end, with server, driver and device process of the built
 * executable: `bun bench/throughput.ts [--rounds 5]`. The goal is 300.
 *
 * - drained: the queue is full before the driver connects; from the end of the first job to the end of the
 *   last.
 * - concurrent: 8 clients submit while jobs run; from the first submission to the end of the last job.
 *
 * Reference in the same run: durable commits per second of bare SQLite. If the queue is full, a job needs two
 * flushes of the disk (its end together with the claim of the next job, and the driver's copy of the result).
 * Its submission needs a third.
 */
import { measureCommits } from './reference/commits.ts'
import { spreadOf } from './support/figures.ts'
import { drain, submitConcurrently } from './support/job-rates.ts'
import { Lab } from './support/lab.ts'
import { printTable, SPREAD_HEAD, spreadCells, startBench } from './support/output.ts'

const JOBS = 1_500
const ROW_BYTES = 400

const { rounds } = startBench('Jobs through one driver')

const commits: number[] = []
const drained: number[] = []
const concurrent: number[] = []
{
  await using lab = await Lab.open()
  await lab.startDriver()
  for (let round = 0; round < rounds; round++) {
    commits.push(measureCommits(3_000, ROW_BYTES).perSecond)
    drained.push(await drain(lab, JOBS))
    concurrent.push(await submitConcurrently(lab, JOBS))
  }
}
const share = (values: number[], flushes: number) =>
  values.map((value, round) => (flushes * value) / (commits[round] ?? Number.NaN))
printTable(
  [`per second, ${JOBS} jobs in each round`, ...SPREAD_HEAD],
  [
    ['reference: bare commits', ...spreadCells(spreadOf(commits))],
    ['jobs, drained', ...spreadCells(spreadOf(drained))],
    ['jobs, submitted concurrently', ...spreadCells(spreadOf(concurrent))],
    ['share of the reference, drained (2 flushes each)', ...spreadCells(spreadOf(share(drained, 2)))],
    ['share of the reference, concurrent (3 flushes each)', ...spreadCells(spreadOf(share(concurrent, 3)))],
  ],
)
