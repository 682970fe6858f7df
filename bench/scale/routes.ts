/**
 * Measures what each GET route costs the event loop with 10^6 jobs in the database: processor time of the
 * main thread for one request of a superuser, of a user and of a guest, the costliest first:
 * `bun bench/scale/routes.ts [--rounds 5] [--jobs 1000000] [--events 1000000] [--most 40]`. The least of all
 * rounds counts: other work of the server in the same moment is no cost of the request.
 */
import { readFileSync } from 'node:fs'
import { formatFigure } from '../support/figures.ts'
import { Lab } from '../support/lab.ts'
import { printTable, startBench } from '../support/output.ts'
import { seed } from './seed.ts'

/** Routes that keep their response open, or that respond with a file of any size. */
const EXCLUDED = /realtime|\/tail|\/backups\/\{/

const { rounds, ...flags } = startBench('GET routes', { jobs: '1000000', events: '1000000', most: '40' })
const [jobs, events, most] = [flags.jobs, flags.events, flags.most].map(Number)
if (!jobs || !events || !most) throw new Error('--jobs, --events and --most are numbers above 0')

let monitor = ''
await using lab = await Lab.open({
  fill: (path, ids) => {
    monitor = seed(path, { jobs, events }, ids)
  },
})
const { service } = lab
const admin = await service.admin()
const callers = { superuser: admin, user: lab.token, guest: '' }

/** Processor time of the event loop since the start of the server, ms. */
function loopMs(): number {
  const text = readFileSync(`/proc/${service.pid}/task/${service.pid}/schedstat`, 'utf8')
  return Number(text.split(' ')[0]) / 1e6
}

async function get(path: string, token: string): Promise<{ status: number; body: string }> {
  const headers = { ...(token && { authorization: token }) }
  const response = await fetch(service.url + path, { headers })
  return { status: response.status, body: await response.text() }
}

/** What takes the place of `{id}` in the path of a route: a record of the kind that it is about. */
function idFor(path: string): string {
  if (/users/.test(path)) return lab.owner
  if (/qpus/.test(path)) return lab.qpu
  if (/drivers/.test(path)) return monitor
  if (/jobs/.test(path)) return 'job000000000007'
  return 'absent'
}

/** The addresses of a declared route: one, or one per collection. */
function addressesOf(path: string, collections: readonly string[]): string[] {
  const id = idFor(path)
  const fill = (template: string) => template.replace(/\{\w+\}/g, id)
  if (!path.includes('{collection}')) return [fill(path)]
  return collections.map((name) => fill(path.replace('{collection}', name)))
}

interface Cost {
  path: string
  caller: string
  status: number
  ms: number
  kib: number
}

async function measure(path: string, caller: keyof typeof callers): Promise<Cost> {
  let [ms, status, kib] = [Number.POSITIVE_INFINITY, 0, 0]
  for (let round = 0; round < rounds; round += 1) {
    const before = loopMs()
    const response = await get(path, callers[caller])
    ms = Math.min(ms, loopMs() - before)
    status = response.status
    kib = response.body.length / 1_024
  }
  return { path, caller, status, ms, kib }
}

const document = JSON.parse((await get('/api/openapi.json', admin)).body) as {
  paths: Record<string, Record<string, unknown>>
}
const declared = Object.entries(document.paths).flatMap(([path, methods]) => (methods['get'] ? [path] : []))
const collections = ['quantum_jobs', 'events', 'users', 'notifications']
const paths = declared
  .filter((path) => !EXCLUDED.test(path))
  .flatMap((path) => addressesOf(path, collections))
const costs: Cost[] = []
for (const path of paths) {
  for (const caller of Object.keys(callers) as (keyof typeof callers)[]) {
    costs.push(await measure(path, caller))
  }
}
costs.sort((one, other) => other.ms - one.ms)
printTable(
  ['Route', 'caller', 'status', 'ms of the event loop', 'KiB'],
  costs
    .slice(0, most)
    .map(({ path, caller, status, ms, kib }) => [path, caller, String(status), ms, formatFigure(kib)]),
)
console.log(`\n${costs.length} requests to ${paths.length} addresses of ${declared.length} routes.`)
