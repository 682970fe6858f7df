/**
 * Whether many processes of one user can wait: `bun bench/clients/processes.ts [--client js] [--processes
 * 200]`, with the rate limits of a new installation. Each submits a job and awaits it; the driver starts when
 * all wait. Exits with 1 unless all complete and the server responds to others in 100 ms (p99) meanwhile.
 */

import { openRunner } from '../../tests/support/clients/runners.ts'
import { Service } from '../../tests/support/executable/service.ts'
import { temporaryFolder } from '../../tests/support/temporary-folder.ts'
import { percentile } from '../support/figures.ts'
import { printTable, startBench } from '../support/output.ts'

const LIMIT_MS = 100
/** The defaults of `svc serve`, which the harness otherwise lifts. */
const LIMITS = ['--user-rate', '100:200', '--anonymous-rate', '20:60', '--submit-rate', '20:100']
const { client, processes } = startBench('Processes that wait', {
  rounds: '1',
  client: 'js',
  processes: '200',
})
const startRunner = await openRunner(client)

using folder = temporaryFolder()
await using service = await Service.install(folder.path, { flags: LIMITS })
await service.start()
const { token } = await service.createUser(1_000_000)
const other = await service.createUser(1_000, 'other@example.org')
const qpu = await service.createQpu('kelvin')

const runners = Array.from({ length: Number(processes) }, () =>
  startRunner(['wait', 1], { url: service.url, token }),
)
for (const runner of runners)
  if ((await runner.next()) !== 'waiting') throw new Error((await runner.rest()).join('\n'))
let isOver = false
const times: number[] = []
const callOften = async () => {
  while (!isOver) {
    const start = performance.now()
    await service.call('GET', '/api/me', { token: other.token })
    times.push(performance.now() - start)
    await Bun.sleep(25)
  }
}
const calls = callOften()
const driver = service.startDriver('kelvin', qpu)
const outcomes = await Promise.all(runners.map((runner) => runner.rest()))
isOver = true
await calls
driver.kill()
await driver.exited
await service.stop()
const completed = outcomes.filter(([outcome]) => outcome === 'completed 1').length
const p99 = percentile(times, 0.99)
printTable(
  ['', 'seen', 'goal'],
  [
    ['processes', Number(processes), ''],
    ['completed', completed, Number(processes)],
    ['response to another user, p99, ms', p99, LIMIT_MS],
  ],
)
process.exit(completed === Number(processes) && p99 <= LIMIT_MS ? 0 : 1)
