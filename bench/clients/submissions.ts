/**
 * Whether each submission of a client makes exactly one job, however its connection ends: `bun
 * bench/clients/submissions.ts [--client js] [--jobs 1000]`.
 *
 * A proxy cuts the first none to three attempts of each, in turn before and in the headers and the body,
 * after the request before the response, and within the response. Exits with 1 if a job is missing or double.
 */

import { CUTS, HostileProxy } from '../../tests/support/clients/hostile-proxy.ts'
import { openRunner } from '../../tests/support/clients/runners.ts'
import { Service } from '../../tests/support/executable/service.ts'
import { temporaryFolder } from '../../tests/support/temporary-folder.ts'
import { printTable, startBench } from '../support/output.ts'

const { client, jobs } = startBench('Submissions over a bad line', {
  rounds: '1',
  client: 'js',
  jobs: '1000',
})
const startRunner = await openRunner(client)

using folder = temporaryFolder()
await using service = await Service.install(folder.path)
await service.start()
const { token } = await service.createUser(1_000_000)
await service.createQpu('kelvin')
await using proxy = await HostileProxy.open(service.port)

const cuts = new Map<string, number>(CUTS.map((cut) => [cut, 0]))
const attempts = new Map<string, number>()
const orders = new Map<string, number>()
let turn = 0
proxy.fate = ({ head }) => {
  const key = /^idempotency-key: *(.+)$/im.exec(head)?.[1] ?? ''
  if (!orders.has(key)) orders.set(key, orders.size)
  const attempt = attempts.get(key) ?? 0
  attempts.set(key, attempt + 1)
  // The first none to three attempts of each submission are cut.
  if (attempt >= (orders.get(key) ?? 0) % 4) return undefined
  turn += 1
  const cut = CUTS[turn % CUTS.length]
  if (cut) cuts.set(cut, (cuts.get(cut) ?? 0) + 1)
  return cut
}
const ids = await startRunner(['submit', Number(jobs)], { url: proxy.url, token }).rest()

const names: string[] = []
for (let before = ''; ; ) {
  const path = `/api/jobs?limit=1000&fields=id,name${before && `&before=${before}`}`
  const { body } = await service.call<{ id: string; name: string }[]>('GET', path, { token })
  names.push(...body.map(({ name }) => name))
  if (body.length < 1000) break
  before = body.at(-1)?.id ?? ''
}
await service.stop()
const different = new Set(names).size
printTable(
  ['', 'jobs'],
  [
    ['submissions that returned an id', new Set(ids).size],
    ['jobs on the server', names.length],
    ['doubles', names.length - different],
    ...[...cuts].map(([cut, count]): [string, number] => [`requests cut: ${cut}`, count]),
  ],
)
process.exit(
  names.length === Number(jobs) && different === names.length && new Set(ids).size === different ? 0 : 1,
)
