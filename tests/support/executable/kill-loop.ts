import { Database } from 'bun:sqlite'
import { join } from 'node:path'
import { until } from '../until.ts'
import { Journal, type Losses } from './journal.ts'
import { Service } from './service.ts'

/** The findings of a kill loop; every count but the first five must be 0. */
export interface KillReport extends Losses {
  serverKills: number
  driverKills: number
  submitted: number
  /** Of them, how many the device miscounts: each has to fail. */
  miscounted: number
  completed: number
  doctor: string
}

interface KillOptions {
  folder: string
  serverKills: number
  driverKills: number
  clients?: number
  report?: (line: string) => void
}

const UP_MS = { least: 150, most: 900 }
const PENDING_TARGET = 200
/** Least number of jobs for each kill. */
const JOBS_PER_KILL = 3
/** The device miscounts one in so many jobs of a client. */
const MISCOUNT_EVERY = 5

function randomUpTime(): number {
  return UP_MS.least + Math.random() * (UP_MS.most - UP_MS.least)
}

/** One client: submits for as long as it may, with enough work that every kill hits something. */
async function client(
  number: number,
  { service, token, journal }: { service: Service; token: string; journal: Journal },
  load: { ended: number },
  signal: AbortSignal,
): Promise<void> {
  for (let n = 0; !signal.aborted; n += 1) {
    const key = `client-${number}-${n}`
    await (n % MISCOUNT_EVERY === 1
      ? journal.submitMiscounted(service, token, key)
      : journal.submit(service, token, key))
    // Not so much that the end takes for ever.
    const isShort = () => signal.aborted || journal.size <= PENDING_TARGET + load.ended
    await until('the backlog to shrink', isShort, { timeoutMs: 120_000 })
  }
}

/**
 * Runs the built executable under load and kills server and driver at random moments. Clients keep a journal
 * of every response; at the end, with no more kills, everything they were promised must have come true
 * exactly once.
 */
export async function killLoop(options: KillOptions): Promise<KillReport> {
  const { folder, serverKills, driverKills, clients = 4, report = () => undefined } = options
  const service = await Service.install(folder, {
    flags: [
      '--job-timeout',
      '3s',
      '--recovery-interval',
      '200ms',
      '--max-attempts',
      '0',
      '--log-level',
      'error',
    ],
  })
  await service.start()
  const qpu = await service.createQpu('target')
  const user = await service.createUser(1_000_000)
  const driverOptions = ['latency=0.005', 'job_timeout=2', 'pragmas=true']
  let driver = service.startDriver('target', qpu, 'mock', driverOptions)
  const journal = new Journal()
  const load = { ended: 0 }
  const stop = new AbortController()
  const work = { service, token: user.token, journal }
  const clientsDone = Array.from({ length: clients }, (_, n) => client(n, work, load, stop.signal))

  const count = async (status: string) => {
    const db = new Database(join(folder, 'svc_data', 'svc.db'), { readonly: true })
    const row = db
      .query('SELECT count(*) AS n FROM quantum_jobs WHERE status = $status')
      .get({ $status: status })
    db.close()
    return (row as { n: number }).n
  }

  const kills: ('server' | 'driver')[] = [
    ...Array.from({ length: serverKills }, () => 'server' as const),
    ...Array.from({ length: driverKills }, () => 'driver' as const),
  ].sort(() => Math.random() - 0.5)
  for (const [n, what] of kills.entries()) {
    // Clients go on as jobs end, also those that the device miscounts, which fail.
    await until('further jobs', async () => {
      load.ended = (await count('completed')) + (await count('failed'))
      return journal.size >= JOBS_PER_KILL * (n + 1)
    })
    await Bun.sleep(randomUpTime())
    if (what === 'server') {
      await service.stop('SIGKILL')
      await service.start()
    } else {
      driver.kill('SIGKILL')
      await driver.exited
      driver = service.startDriver('target', qpu, 'mock', driverOptions)
    }
    if ((n + 1) % 25 === 0) report(`${n + 1} of ${kills.length} kills, ${load.ended} jobs ended`)
  }

  stop.abort()
  await Promise.all(clientsDone)
  await until('every job to end', async () => (await count('pending')) + (await count('running')) === 0, {
    timeoutMs: 120_000,
  })
  driver.kill('SIGTERM')
  await driver.exited
  await service.stop()
  const checked = await service.doctor()
  const doctor = checked.status === 0 ? 'clean' : checked.out + checked.err
  return { serverKills, driverKills, miscounted: journal.miscounted, ...journal.compare(folder), doctor }
}
