/**
 * Submissions per second over HTTP to the built executable without a driver, each of which is checked, stored
 * durably and answered: `bun bench/submissions.ts [--rounds 5]`.
 *
 * References in the same run: durable commits per second of bare SQLite with rows of the same size, and
 * requests per second of a bare Hono route (Bun, in a separate process) that parses the same body and stores
 * nothing.
 */
import { measureCommits } from './reference/commits.ts'
import { BareRoute } from './reference/route.ts'
import { callsPerSecond } from './support/calls-per-second.ts'
import { spreadOf } from './support/figures.ts'
import { Lab } from './support/lab.ts'
import { printTable, SPREAD_HEAD, spreadCells, startBench } from './support/output.ts'
import { postJob } from './support/post-job.ts'

const JOBS = 1_000
const WARM_UP = 300
const ROW_BYTES = 400
const WIDTHS = [1, 16]

const { rounds } = startBench('Submissions')

const commits: number[] = []
const bare = new Map(WIDTHS.map((width): [number, number[]] => [width, []]))
const ours = new Map(WIDTHS.map((width): [number, number[]] => [width, []]))
{
  await using route = await BareRoute.start()
  for (let round = 0; round < rounds; round++) {
    // An empty queue in each round, because each submission counts the pending jobs of its user.
    await using lab = await Lab.open()
    await callsPerSecond(16, WARM_UP, () => lab.submit())
    commits.push(measureCommits(3_000, ROW_BYTES).perSecond)
    for (const width of WIDTHS) {
      bare.get(width)?.push(await callsPerSecond(width, JOBS, () => postJob(route.url, 'none')))
      ours.get(width)?.push(await callsPerSecond(width, JOBS, () => lab.submit()))
    }
  }
}
const ratio = (values: number[], reference: number[]) =>
  values.map((value, round) => value / (reference[round] ?? Number.NaN))
printTable(
  [`per second, ${JOBS} in each round`, ...SPREAD_HEAD],
  [
    ['reference: bare commits', ...spreadCells(spreadOf(commits))],
    ...WIDTHS.flatMap((width) => {
      const [own, other] = [ours.get(width) ?? [], bare.get(width) ?? []]
      return [
        [`reference: bare Hono route, ${width} at a time`, ...spreadCells(spreadOf(other))],
        [`submissions, ${width} at a time`, ...spreadCells(spreadOf(own))],
        ['share of the bare commits', ...spreadCells(spreadOf(ratio(own, commits)))],
        ['share of the bare route', ...spreadCells(spreadOf(ratio(own, other)))],
      ]
    }),
  ],
)
