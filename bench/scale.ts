/**
 * Measures the cost of 10^6 jobs and 10^7 events: p50 and p99 of each request to the built executable on such
 * a database and on a nearly empty one, in alternation: `bun bench/scale.ts [--rounds 5]`. `SCALE=0.1` uses a
 * tenth of the rows. The goal is a ratio of at most 2, and list pages within 50 ms. Writes about 10 GB to the
 * temporary folder and removes them.
 */
import { join } from 'node:path'
import { silentLog, systemClock, TimeSlice } from '../src/base/index.ts'
import { openDatabase, WRITE_SLICE_MS } from '../src/db/index.ts'
import { pruneEvents, pruneReadings } from '../src/db/store/maintenance/index.ts'
import { seed } from './scale/seed.ts'
import { percentile, spreadOf } from './support/figures.ts'
import { Lab } from './support/lab.ts'
import { printTable, startBench } from './support/output.ts'

const CALLS = 200
/** Calls of requests that count all rows. */
const COUNTS = 20
const JOBS = 100
const PRUNE_STEPS = 100
const PRUNED_ROWS = 50
const CHECKED_AT_START = 134_217_728
/** Nearly empty: enough that every request returns a full page. */
const FEW = { jobs: 2_000, events: 30_000 }

const scale = Number(process.env['SCALE'] ?? 1)
if (!(scale > 0 && scale <= 10)) throw new Error(`SCALE is "${process.env['SCALE']}"; give a number up to 10`)
const many = { jobs: Math.round(1e6 * scale), events: Math.round(1e7 * scale) }
const { rounds } = startBench('Scale')

/** A database under measurement. */
interface Side {
  lab: Lab
  monitor: string
  folder: string
}

async function open(amounts: typeof many): Promise<Side> {
  let [monitor, database, filled] = ['', '', 0]
  const lab = await Lab.open({
    fill: (path, ids) => {
      database = path
      monitor = seed(path, amounts, ids)
      filled = performance.now()
    },
  })
  console.error(
    `${amounts.events} events: started after ${((performance.now() - filled) / 1_000).toFixed(1)} s`,
  )
  // The check of a large file continues after the start and reads the whole file.
  if (Bun.file(database).size > CHECKED_AT_START)
    await lab.service.untilLogged('database checked', 0, 600_000)
  await lab.startDriver()
  return { lab, monitor, folder: join(lab.service.folder, 'svc_data') }
}

const day = (offset: number) => new Date(Date.now() + offset * 86_400_000).toISOString()
const records = (collection: string, query: Record<string, string>) =>
  `/api/collections/${collection}/records?${new URLSearchParams(query)}`

const newestJobs = () => records('quantum_jobs', { sort: '-created', skipTotal: 'true' })
const eventsWithTotal = () => records('events', { sort: '-ts' })

/** Requests for a page, by their name in the table. */
const PAGES: Record<string, (side: Side) => string> = {
  'own jobs, newest 100': () => '/api/jobs?limit=100',
  'own jobs, 100 after the first 1,000': () => '/api/jobs?limit=100&skip=1000',
  'jobs, newest 30': newestJobs,
  'jobs, 30 before a timestamp': () =>
    records('quantum_jobs', { filter: `created < "${day(-0.005)}"`, sort: '-created', skipTotal: 'true' }),
  'jobs, newest 30 that completed': () =>
    records('quantum_jobs', { filter: 'status = "completed"', sort: '-created', skipTotal: 'true' }),
  'jobs, 30 after all but 1,000': () =>
    records('quantum_jobs', { sort: '-created', after: 'job000000001000' }),
  'events, newest 30 of a driver that has none': ({ lab }) =>
    records('events', { filter: `driver = "${lab.qpu}"`, sort: '-ts', skipTotal: 'true' }),
  'events, newest 30 of a type': () =>
    records('events', { filter: 'type = "CryostatReading"', sort: '-ts', skipTotal: 'true' }),
  'events, 30 before a timestamp': () =>
    records('events', { filter: `ts < "${day(-0.005)}"`, sort: '-ts', skipTotal: 'true' }),
  'jobs, newest 30 with total': () => records('quantum_jobs', { sort: '-created' }),
  'events, newest 30 with total': eventsWithTotal,
  'series, an hour': ({ monitor }) => `/api/events/series?driver=${monitor}&from=${day(-1 / 24)}`,
  'series, 30 days': ({ monitor }) => `/api/events/series?driver=${monitor}&from=${day(-30)}`,
}

async function page({ lab }: Side, path: string): Promise<void> {
  const response = await fetch(lab.service.url + path, { headers: { authorization: lab.token } })
  const body = await response.arrayBuffer()
  if (response.status !== 200) throw new Error(`${path} returned ${response.status}: ${Buffer.from(body)}`)
}

/** Runs `work` `count` times on each of the two sides, in alternation. Returns the ms of each run by side. */
async function alternate(
  sides: readonly Side[],
  count: number,
  work: (side: Side) => Promise<unknown>,
): Promise<number[][]> {
  const times: number[][] = sides.map(() => [])
  for (let at = 0; at < count; at += 1) {
    for (const [index, side] of sides.entries()) {
      const start = performance.now()
      await work(side)
      times[index]?.push(performance.now() - start)
    }
  }
  return times
}

/** Measures pages of jobs while the same server counts all events. */
async function measureWhileCounting(sides: readonly Side[]): Promise<void> {
  const totals: Promise<void>[] = []
  const times = await alternate(sides, COUNTS, (side) => {
    totals.push(page(side, eventsWithTotal()))
    return page(side, newestJobs())
  })
  note('jobs, newest 30, while events are counted', times)
  await Promise.all(totals)
}

/** p50 and p99 of each round on the two databases, by measurement. */
const found = new Map<string, { p50: [number, number][]; p99: [number, number][] }>()
function note(name: string, [few = [], full = []]: number[][]): void {
  const rows = found.get(name) ?? { p50: [], p99: [] }
  found.set(name, rows)
  rows.p50.push([percentile(few, 0.5), percentile(full, 0.5)])
  rows.p99.push([percentile(few, 0.99), percentile(full, 0.99)])
}

/** Measures the steps of a pruning that removes all rows, on the databases of stopped servers. */
async function measurePruning(sides: readonly Side[]): Promise<void> {
  const databases = await Promise.all(
    sides.map(({ folder }) => openDatabase({ dir: folder, clock: systemClock, log: silentLog })),
  )
  for (const [name, step] of Object.entries({ pruneEvents, pruneReadings })) {
    const times: number[][] = databases.map(() => [])
    const slice = new TimeSlice(systemClock, WRITE_SLICE_MS)
    for (let at = 0; at < PRUNE_STEPS; at += 1) {
      for (const [index, db] of databases.entries()) {
        const start = performance.now()
        await db.write('prune', (tx) => slice.fill(() => step(tx, Date.now(), PRUNED_ROWS) === 0))
        times[index]?.push(performance.now() - start)
        await Bun.sleep(5)
      }
    }
    note(`step of ${name}`, times)
  }
  for (const db of databases) await db.close()
}

{
  const few = await open(FEW)
  await using _few = few.lab
  const start = performance.now()
  const full = await open(many)
  await using _full = full.lab
  const size = Bun.file(join(full.folder, 'svc.db')).size
  console.error(
    `filled ${(size / 1e9).toFixed(1)} GB in ${((performance.now() - start) / 1_000).toFixed(0)} s`,
  )
  const sides = [few, full]
  const listeners = await Promise.all(sides.map(({ lab }) => lab.listen()))
  const listenerOf = new Map(sides.map((side, index) => [side, listeners[index]]))
  for (const side of sides) for (const path of Object.values(PAGES)) await page(side, path(side))
  for (let round = 0; round < rounds; round += 1) {
    note('submission', await alternate(sides, CALLS, ({ lab }) => lab.submit()))
    for (const { lab } of sides) await lab.untilCompleted([await lab.submit()])
    note(
      'submission to completion',
      await alternate(sides, JOBS, async (side) => {
        const id = await side.lab.submit()
        await listenerOf.get(side)?.completed(id)
      }),
    )
    for (const [name, path] of Object.entries(PAGES)) {
      const calls = name.endsWith('with total') ? COUNTS : CALLS
      note(name, await alternate(sides, calls, (side) => page(side, path(side))))
    }
    await measureWhileCounting(sides)
  }
  for (const listener of listeners) listener.close()
  for (const { lab } of sides) await lab.stop()
  await measurePruning(sides)
}

/** Medians over the rounds for the two databases, and of their ratio. */
function cells(pairs: readonly [number, number][]): number[] {
  const median = (value: (pair: [number, number]) => number) => spreadOf(pairs.map(value)).median
  return [median(([few]) => few), median(([, full]) => full), median(([few, full]) => full / few)]
}

console.log(
  `${many.jobs.toLocaleString('en')} jobs, ${many.events.toLocaleString('en')} events; medians over the rounds:\n`,
)
printTable(
  ['ms', 'p50, few rows', 'p50', 'ratio', 'p99, few rows', 'p99', 'ratio'],
  [...found].map(([name, { p50, p99 }]) => [name, ...cells(p50), ...cells(p99)]),
)
