import { Database } from 'bun:sqlite'
import { join } from 'node:path'
import { BELL, Service, until } from './executable.ts'

/** What a kill loop saw; every count but the first four must be 0. */
export interface KillReport {
  serverKills: number
  driverKills: number
  submitted: number
  completed: number
  /** Jobs whose acceptance a client saw and that are gone, or never ended. */
  lost: number
  /** Submissions (by their idempotency key) that made more than one job. */
  duplicated: number
  /** Jobs with more than one completion in their timeline. */
  completedTwice: number
  chargedTwice: number
  /** Completed jobs without a charge. */
  uncharged: number
  doctor: string
}

interface KillOptions {
  folder: string
  serverKills: number
  driverKills: number
  clients?: number
  say?: (line: string) => void
}

interface Journal {
  /** Keys of submissions, answered or not. */
  keys: Set<string>
  /** Job ids that the server has acknowledged, by key. */
  accepted: Map<string, string>
  /** Completed jobs as last counted, so that the clients keep the queue bounded. */
  completed: number
  duplicated: number
}

const UP_MS = { least: 150, most: 900 }
const PENDING_TARGET = 200

function randomUpTime(): number {
  return UP_MS.least + Math.random() * (UP_MS.most - UP_MS.least)
}

async function submit(service: Service, token: string, key: string, journal: Journal): Promise<boolean> {
  const body = { circuits: [{ circuit: BELL }], shots: 10, qpu_target: 'target' }
  const headers = { 'idempotency-key': key }
  const answer = await service
    .call<{ id: string }>('POST', '/api/jobs', { token, body, headers })
    .catch(() => undefined)
  if (answer?.status !== 201) return false
  const before = journal.accepted.get(key)
  if (before !== undefined && before !== answer.body.id) journal.duplicated += 1
  journal.accepted.set(key, answer.body.id)
  return true
}

/** One client: submits for as long as it may, repeating a submission whose answer it never saw. */
async function client(
  number: number,
  service: Service,
  token: string,
  journal: Journal,
  signal: AbortSignal,
): Promise<void> {
  for (let n = 0; ; n += 1) {
    const key = `client-${number}-${n}`
    if (signal.aborted) return
    journal.keys.add(key)
    while (!(await submit(service, token, key, journal))) await Bun.sleep(30)
    // Enough work that every kill hits something, not so much that the end takes for ever.
    while (!signal.aborted && journal.accepted.size > PENDING_TARGET + journal.completed) await Bun.sleep(20)
  }
}

function inspect(folder: string, journal: Journal) {
  const db = new Database(join(folder, 'svc_data', 'svc.db'), { readonly: true })
  const count = (sql: string) => (db.query(sql).get() as { n: number }).n
  const ended = new Set(
    (db.query(`SELECT id FROM quantum_jobs WHERE status = 'completed'`).all() as { id: string }[]).map(
      (row) => row.id,
    ),
  )
  const report = {
    submitted: journal.keys.size,
    completed: ended.size,
    lost: [...journal.accepted.values()].filter((id) => !ended.has(id)).length,
    duplicated:
      journal.duplicated + Math.max(0, count('SELECT count(*) AS n FROM quantum_jobs') - journal.keys.size),
    completedTwice: count(
      `SELECT count(*) AS n FROM (SELECT job FROM job_timeline WHERE event = 'completed' GROUP BY job HAVING count(*) > 1)`,
    ),
    chargedTwice: count(
      `SELECT count(*) AS n FROM (SELECT source_id FROM qpu_ledger WHERE kind = 'charge' GROUP BY source_id HAVING count(*) > 1)`,
    ),
    uncharged: count(
      `SELECT count(*) AS n FROM quantum_jobs WHERE status = 'completed'
       AND id NOT IN (SELECT source_id FROM qpu_ledger WHERE kind = 'charge')`,
    ),
  }
  db.close()
  return report
}

/**
 * Runs the built executable under load and kills server and driver at random moments. Clients keep a journal of
 * every answer; at the end, with no more kills, everything they were promised must have come true exactly once.
 */
export async function killLoop(options: KillOptions): Promise<KillReport> {
  const { folder, serverKills, driverKills, clients = 4, say = () => undefined } = options
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
  const driverOptions = ['latency=0.005', 'job_timeout=2']
  let driver = service.startDriver('target', qpu, 'mock', driverOptions)
  const journal: Journal = { keys: new Set(), accepted: new Map(), completed: 0, duplicated: 0 }
  const stop = new AbortController()
  const load = Array.from({ length: clients }, (_, n) => client(n, service, user.token, journal, stop.signal))

  const pending = async (status: string) => {
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
    await Bun.sleep(randomUpTime())
    if (what === 'server') {
      await service.stop('SIGKILL')
      await service.start()
    } else {
      driver.kill('SIGKILL')
      await driver.exited
      driver = service.startDriver('target', qpu, 'mock', driverOptions)
    }
    journal.completed = await pending('completed')
    if ((n + 1) % 25 === 0) say(`${n + 1} of ${kills.length} kills, ${journal.completed} jobs completed`)
  }

  stop.abort()
  await Promise.all(load)
  await until(
    'every job to end',
    async () => (await pending('pending')) + (await pending('running')) === 0,
    120_000,
  )
  driver.kill('SIGTERM')
  await driver.exited
  await service.stop()
  const checked = await service.doctor()
  const doctor = checked.status === 0 ? 'clean' : checked.out + checked.err
  return { serverKills, driverKills, ...inspect(folder, journal), doctor }
}
