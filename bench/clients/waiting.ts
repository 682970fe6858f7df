/**
 * Whether a client waits through everything: `bun bench/clients/waiting.ts [--client js] [--jobs 500]
 * [--kills 20]`.
 *
 * One process awaits all jobs while the server is killed and restarted, streams are cut, requests are refused
 * with 429, and the network swallows everything for 30 s. Then a driver runs the jobs. Exits with 1 unless
 * all complete and the process has sent at most 2 requests a second meanwhile.
 */
import { HostileProxy } from '../../tests/support/clients/hostile-proxy.ts'
import { openRunner } from '../../tests/support/clients/runners.ts'
import { Service } from '../../tests/support/executable/service.ts'
import { temporaryFolder } from '../../tests/support/temporary-folder.ts'
import { printTable, startBench } from '../support/output.ts'

/** Goal, in requests per second of the waiting process. */
const LIMIT_PER_SECOND = 2
/** Time from each start of the server to its next kill. */
const UP_MS = 1_500
const REFUSED_MS = 10_000
const DARK_MS = 30_000
const { client, jobs, kills } = startBench('Waiting', { rounds: '1', client: 'js', jobs: '500', kills: '20' })
const startRunner = await openRunner(client)

using folder = temporaryFolder()
await using service = await Service.install(folder.path)
await service.start()
const { token } = await service.createUser(1_000_000)
const qpu = await service.createQpu('kelvin')
await using proxy = await HostileProxy.open(service.port)

const runner = startRunner(['wait', Number(jobs)], { url: proxy.url, token })
if ((await runner.next()) !== 'waiting') throw new Error((await runner.rest()).join('\n'))
const started = performance.now()
const sentBefore = proxy.requests
const secondsNow = () => (performance.now() - started) / 1000
const rate = () => (proxy.requests - sentBefore) / secondsNow()

for (let kill = 0; kill < Number(kills); kill += 1) {
  await service.stop('SIGKILL')
  await Bun.sleep(250 * (kill % 5))
  await service.start()
  await Bun.sleep(UP_MS)
}
const afterKills = rate()
for (let cut = 0; cut < 10; cut += 1) {
  proxy.cutAll()
  await Bun.sleep(500)
}
let turn = 0
proxy.fate = () => {
  turn += 1
  return turn % 3 === 0 ? undefined : 'refused'
}
proxy.cutAll()
await Bun.sleep(REFUSED_MS)
proxy.fate = () => undefined
proxy.isDark = true
await Bun.sleep(DARK_MS)
proxy.isDark = false
const afterAll = rate()
const waitedFor = secondsNow()

const driver = service.startDriver('kelvin', qpu)
const [outcome = ''] = await runner.rest()
driver.kill()
await driver.exited
await service.stop()
printTable(
  ['', 'seen', 'goal'],
  [
    ['jobs', Number(jobs), ''],
    ['restarts after SIGKILL', Number(kills), ''],
    ['time of the faults, s', waitedFor, ''],
    ['requests per s, restarts', afterKills, LIMIT_PER_SECOND],
    ['requests per s, all faults', afterAll, LIMIT_PER_SECOND],
    ['time from the driver to the end of the wait, s', secondsNow() - waitedFor, ''],
    ['outcome', outcome, `completed ${jobs}`],
  ],
)
process.exit(outcome === `completed ${jobs}` && afterAll <= LIMIT_PER_SECOND ? 0 : 1)
