/**
 * Sends the same random lists to two executables with the same data, and compares their responses: status,
 * records in their order, totals and errors. `bun bench/record-store/compare-lists.ts BEFORE AFTER [--lists
 * 10000] [--seed 1] [--jobs 3000]`; exits with 1 when a response differs. Prints how long the lists took.
 */
import { resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { openInstallation } from '../../tests/attack/harness/installation.ts'
import { ADMIN } from '../../tests/attack/harness/seed.ts'
import { AttackedServer } from '../../tests/attack/harness/server.ts'
import { temporaryFolder } from '../../tests/support/temporary-folder.ts'
import { percentile } from '../support/figures.ts'
import { printTable } from '../support/output.ts'
import { type RandomList, randomLists, type Shape } from './random-list.ts'

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    lists: { type: 'string', default: '10000' },
    seed: { type: 'string', default: '1' },
    jobs: { type: 'string', default: '3000' },
    skip: { type: 'string', default: '0' },
  },
})
const [before, after] = positionals.map((path) => resolve(path))
const [lists, seed, jobs, skip] = [values.lists, values.seed, values.jobs, values.skip].map(Number)
if (!before || !after || !lists || seed === undefined || !jobs) {
  console.error(
    'usage: bun bench/record-store/compare-lists.ts BEFORE AFTER [--lists 10000] [--seed 1] [--jobs 3000]',
  )
  process.exit(2)
}
const COLLECTIONS = [
  'quantum_jobs',
  'events',
  'qpus',
  'drivers',
  'users',
  'time_slots',
  'calibration_requests',
  'calibration_results',
  'notifications',
  'qpu_time_requests',
]
/** Lists that are sent at the same time, each by another account. */
const LANES = 4

interface Listed {
  readonly status: number
  readonly body: unknown
  readonly ms: number
}

type Body = Record<string, unknown>

async function get(url: string, token: string): Promise<Listed> {
  const started = performance.now()
  const response = await fetch(url, { headers: token === '' ? {} : { authorization: token } })
  const body: unknown = await response.json()
  return { status: response.status, body, ms: performance.now() - started }
}

async function login(url: string): Promise<string> {
  const response = await fetch(`${url}/api/collections/_superusers/auth-with-password`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ identity: ADMIN.email, password: ADMIN.password }),
  })
  return ((await response.json()) as { token: string }).token
}

/** The collections as clients see them, with values of their first records. */
async function shapesOf(url: string, token: string): Promise<Shape[]> {
  const collections = ((await get(`${url}/api/collections?perPage=100`, token)).body as Body)[
    'items'
  ] as Body[]
  const nameOf = new Map(collections.map((each) => [each['id'], String(each['name'])]))
  const shapes: Shape[] = []
  for (const name of COLLECTIONS) {
    const declared = collections.find((each) => each['name'] === name)?.['fields'] as Body[]
    const records = `${url}/api/collections/${name}/records?perPage=40`
    const { items = [] } = (await get(records, token)).body as { items?: Body[] }
    const fields = declared.map((field) => ({
      name: String(field['name']),
      type: String(field['type']),
      to: nameOf.get(field['collectionId']),
    }))
    const valuesOf = (field: string) =>
      items
        .map((item) => item[field])
        .filter((value): value is string => typeof value === 'string' && value.length < 60)
    shapes.push({
      name,
      fields,
      values: Object.fromEntries(fields.map((field) => [field.name, valuesOf(field.name)])),
      ids: items.map(({ id }) => String(id)),
    })
  }
  return shapes
}

/** What has to be equal: an error without the id of its request. */
function compared({ status, body }: Listed): string {
  if (status === 200) return JSON.stringify(body)
  const { code, message, data } = body as Body
  return JSON.stringify({ status, code, message, data })
}

using installation = await openInstallation(before, jobs)
using other = temporaryFolder()
if (!Bun.spawnSync(['cp', '-a', `${installation.folder}/.`, other.path]).success)
  throw new Error('cannot copy')
const servers = [new AttackedServer(installation.folder, before), new AttackedServer(other.path, after)]
let different = 0
/** Lists that 1f8561ca and earlier releases refused by an estimate of the records that they join. */
let estimated = 0
const times: number[][] = [[], []]
const statuses = new Map<number, number>()
try {
  const tokens: string[] = []
  for (const server of servers) {
    await server.start()
    tokens.push(await login(server.url))
  }
  const [first] = servers
  const shapes = await shapesOf(first?.url ?? '', tokens[0] ?? '')
  const { attackers, others } = installation.seeded
  const users = [...attackers, ...others]
  const all = [...randomLists(shapes, seed, lists)].map((list, number) => ({ list, number })).slice(skip)
  const compareOne = async ({ list, number }: { list: RandomList; number: number }) => {
    const path = `/api/collections/${list.collection}/records?${new URLSearchParams(list.query)}`
    const user = users[number % users.length]?.token ?? ''
    const responses: Listed[] = []
    for (const [side, { url }] of servers.entries()) {
      const token = { superuser: tokens[side] ?? '', user, guest: '' }[list.caller]
      const response = await get(url + path, token)
      times[side]?.push(response.ms)
      responses.push(response)
    }
    const [old, now] = responses.map(compared)
    statuses.set(responses[1]?.status ?? 0, (statuses.get(responses[1]?.status ?? 0) ?? 0) + 1)
    if (old === now) return
    if (old?.includes('would read more than 500000 related records')) {
      estimated += 1
      return
    }
    different += 1
    if (different <= 20)
      console.log(`${number} ${list.caller} ${path}\n  ${old?.slice(0, 400)}\n  ${now?.slice(0, 400)}`)
  }
  await Promise.all(
    Array.from({ length: LANES }, async () => {
      for (let next = all.shift(); next; next = all.shift()) await compareOne(next)
    }),
  )
} finally {
  for (const server of servers) await server.stop()
}
printTable(
  ['ms per list', 'median', '90 %', '99 %'],
  times.map((each, side) => [
    side === 0 ? 'before' : 'after',
    ...[0.5, 0.9, 0.99].map((part) => percentile(each, part)),
  ]),
)
console.log(
  `${lists} lists, seed ${seed}: ${different} differ, ${estimated} were refused by an estimate; statuses ${JSON.stringify([...statuses])}`,
)
process.exit(different > 0 ? 1 : 0)
