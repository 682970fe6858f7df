/**
 * Jobs per second through one `mock` driver, end to end, with server, driver and device process of the built
 * executable: `bun bench/throughput.ts [--rounds 5]`. The goal is 300.
 *
 * - drained: the queue is full before the driver comes; from the end of the first job to the end of the last.
 * - meanwhile: 8 clients submit while the jobs run; from the first submission to the end of the last job.
 *
 * Reference in the same run: durable commits per second of bare SQLite. A job needs two flushes of the disk
 * when the queue is full (its end with the claim of the next; the driver's copy of the result), and its
 * submission a third.
 */
import { measureCommits } from './reference/commits.ts'
import { spreadOf } from './support/figures.ts'
import { Lab } from './support/lab.ts'
import { printTable, SPREAD_HEAD, spreadCells, startBench } from './support/output.ts'

const JOBS = 1_500
const WIDTH = 8
const ROW_BYTES = 400

const { rounds } = startBench('Jobs through one driver')

async function finishedAt(lab: Lab, id: string): Promise<number> {
  return Date.parse((await lab.job(id)).finished_at)
}

/** Jobs per second of a queue that is there already. */
async function drain(lab: Lab): Promise<number> {
  await lab.stopDriver()
  const ids = await lab.submitMany(JOBS, WIDTH)
  await lab.startDriver()
  await lab.untilCompleted(ids)
  const times = await Promise.all(ids.map((id) => finishedAt(lab, id)))
  return (JOBS - 1) / ((Math.max(...times) - Math.min(...times)) / 1_000)
}

/** Jobs per second when they are submitted while others run. */
async function submitMeanwhile(lab: Lab): Promise<number> {
  const start = Date.now()
  const ids = await lab.submitMany(JOBS, WIDTH)
  await lab.untilCompleted(ids)
  const times = await Promise.all(ids.map((id) => finishedAt(lab, id)))
  return JOBS / ((Math.max(...times) - start) / 1_000)
}

const commits: number[] = []
const drained: number[] = []
const meanwhile: number[] = []
{
  await using lab = await Lab.open()
  await lab.startDriver()
  for (let round = 0; round < rounds; round++) {
    commits.push(measureCommits(3_000, ROW_BYTES).perSecond)
    drained.push(await drain(lab))
    meanwhile.push(await submitMeanwhile(lab))
  }
}
const share = (values: number[], flushes: number) =>
  values.map((value, round) => (flushes * value) / (commits[round] ?? Number.NaN))
printTable(
  [`per second, ${JOBS} jobs in each round`, ...SPREAD_HEAD],
  [
    ['reference: bare commits', ...spreadCells(spreadOf(commits))],
    ['jobs, drained', ...spreadCells(spreadOf(drained))],
    ['jobs, submitted meanwhile', ...spreadCells(spreadOf(meanwhile))],
    ['share of the reference, drained (2 flushes each)', ...spreadCells(spreadOf(share(drained, 2)))],
    ['share of the reference, meanwhile (3 flushes each)', ...spreadCells(spreadOf(share(meanwhile, 3)))],
  ],
)
