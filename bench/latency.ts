/**
 * Duration of a job on an idle system, from the first byte of its submission until the event stream reports
 * its completion to the owner, one job at a time on `mock`, with server, driver and device process of the
 * built executable: `bun bench/latency.ts [--rounds 5]`. The goal is p50 <= 5 ms and p99 <= 25 ms.
 *
 * Reference in the same run: the cost that no implementation can avoid, namely three flushes of the disk
 * (submission and claim; the driver's copy of the result; end), as commits of bare SQLite, and one round trip
 * over a pair of bare message sockets.
 */
import { measureCommits } from './reference/commits.ts'
import { measureOurs } from './sockets/pair.ts'
import { percentile, spreadOf } from './support/figures.ts'
import { measureJobs } from './support/job-times.ts'
import { Lab } from './support/lab.ts'
import { printTable, SPREAD_HEAD, spreadCells, startBench } from './support/output.ts'

const JOBS = 300
const WARM_UP = 100
const ROW_BYTES = 400
const FLUSHES = 3

const { rounds } = startBench('From submission to completion')

const found: Record<string, number[]> = {}
const note = (name: string, value: number) => {
  found[name] = [...(found[name] ?? []), value]
}
{
  await using lab = await Lab.open()
  await lab.startDriver()
  await measureJobs(lab, WARM_UP)
  for (let round = 0; round < rounds; round++) {
    const { p50: commitMs } = measureCommits(1_000, ROW_BYTES)
    const [socket] = await measureOurs([{ size: ROW_BYTES, messages: 1, roundTrips: 1_000 }])
    const referenceMs = FLUSHES * commitMs + (socket?.p50 ?? Number.NaN) / 1_000
    const times = await measureJobs(lab, JOBS)
    const completed = times.map((each) => each.completed)
    note('reference: 3 commits + 1 round trip', referenceMs)
    note(
      'response to the submission, p50',
      percentile(
        times.map((each) => each.submitted),
        0.5,
      ),
    )
    note('submission to completion, p50', percentile(completed, 0.5))
    note('submission to completion, p90', percentile(completed, 0.9))
    note('submission to completion, p99', percentile(completed, 0.99))
    note('ratio of the p50 to the reference', percentile(completed, 0.5) / referenceMs)
  }
}
printTable(
  [`ms, of ${JOBS} jobs in each round`, ...SPREAD_HEAD],
  Object.entries(found).map(([name, values]) => [name, ...spreadCells(spreadOf(values))]),
)
