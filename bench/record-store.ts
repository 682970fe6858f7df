/**
 * Compares the record store of the built executable with PocketBase, on one machine and with the same
 * collections, rules and 100,000 jobs: `bun bench/record-store.ts [--rounds 5]`. Requires `wrk` and `go`.
 *
 * PocketBase is built from `bench/pocketbase` and runs with its defaults: it does not flush each commit to
 * disk, whereas svc does. Rounds alternate between the two, so that other load on the machine affects both.
 */

import { openOurs } from './record-store/ours.ts'
import { openPocketBase } from './record-store/pocketbase.ts'
import { JOBS, jobId, type Side } from './record-store/side.ts'
import { StreamGroup } from './record-store/stream-group.ts'
import { type Load, responsesPerSecond } from './record-store/wrk.ts'
import { spreadOf } from './support/figures.ts'
import { printTable, startBench } from './support/output.ts'

const CHANGES = 20

const { rounds } = startBench('Record store')

const records = (side: Side, collection: string, query: Record<string, string> = {}) =>
  `${side.url}/api/collections/${collection}/records?${new URLSearchParams(query)}`
const own = (side: Side) => ({
  filter: `user_id = "${side.user}" && status = "completed"`,
  sort: '-created',
})

const loads: Record<string, (side: Side) => Load> = {
  'view of a job': (side) => ({
    url: records(side, 'quantum_jobs').replace('records?', `records/${jobId(50_007)}`),
    token: side.token,
  }),
  'list: own completed jobs, newest first, with total': (side) => ({
    url: records(side, 'quantum_jobs', own(side)),
    token: side.token,
  }),
  'the same without total': (side) => ({
    url: records(side, 'quantum_jobs', { ...own(side), skipTotal: 'true' }),
    token: side.token,
  }),
  'list: newest of all jobs': (side) => ({
    connections: 1,
    url: records(side, 'quantum_jobs', { sort: '-created', skipTotal: 'true' }),
    token: side.token,
  }),
  'create of a notification': (side) => ({
    method: 'POST',
    url: records(side, 'notifications'),
    token: side.admin,
    body: {
      title: 'Maintenance on Monday',
      description: 'From 9 to 11',
      start_time: '2026-01-01 09:00:00.000Z',
    },
  }),
  'auth-refresh': (side) => ({
    method: 'POST',
    url: `${side.url}/api/collections/users/auth-refresh`,
    token: side.token,
    body: {},
  }),
}

/** Changes per second, each received by 500 clients. */
async function fanOut(side: Side): Promise<number> {
  await using group = await StreamGroup.open(side)
  await group.change('first')
  const start = performance.now()
  for (let sent = 0; sent < CHANGES; sent += 1) await group.change(`reason ${sent}`)
  return CHANGES / ((performance.now() - start) / 1_000)
}

const measures: [string, (side: Side) => Promise<number>][] = [
  ...Object.entries(loads).map(([name, load]): [string, (side: Side) => Promise<number>] => [
    name,
    (side) => responsesPerSecond(load(side)),
  ]),
  ['change sent to 500 clients', fanOut],
]

const rows: (string | number)[][] = []
{
  await using ours = await openOurs()
  await using theirs = await openPocketBase(ours.collections)
  for (const [name, measure] of measures) {
    const [us, them]: [number[], number[]] = [[], []]
    for (let round = 0; round < rounds; round += 1) {
      us.push(await measure(ours))
      them.push(await measure(theirs))
    }
    const ratios = spreadOf(us.map((each, round) => each / (them[round] ?? Number.NaN)))
    rows.push([name, spreadOf(us).median, spreadOf(them).median, ratios.min, ratios.median, ratios.max])
  }
}
printTable(
  [`per second, ${JOBS.toLocaleString('en')} jobs`, 'svc', 'PocketBase', 'ratio: min', 'median', 'max'],
  rows,
)
