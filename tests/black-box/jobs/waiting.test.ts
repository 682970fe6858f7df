import { Database } from 'bun:sqlite'
import { expect, setDefaultTimeout, test } from 'bun:test'
import { join } from 'node:path'
import { type JobSeen, submit } from '../../support/executable/job-calls.ts'
import { Service } from '../../support/executable/service.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'
import { until } from '../../support/until.ts'

setDefaultTimeout(180_000)

const RESTARTS = Number(process.env['WAIT_RESTARTS'] ?? 4)
const CLIENTS = 12
const LONG_S = 60
/** A response that comes so long after the end of its job was not caused by it. */
const MISSED_MS = 30_000

type Status = JobSeen['status']
const isFinal = (status: Status) => ['completed', 'failed', 'cancelled'].includes(status)
const pick = <T>(values: readonly T[]): T => values[Math.floor(Math.random() * values.length)] as T

/** Breaches of the promises of a waiting request, and how often each kind of response was seen. */
class Findings {
  /**
   * Final status that the database did not have yet; not final before the time; end sent long after it.
   */
  readonly breaches: string[] = []
  readonly seen = { ended: 0, changed: 0, over: 0, stopped: 0, killed: 0 }
}

interface World {
  service: Service
  token: string
  findings: Findings
  /** Begins and ends of stops so far; odd while the server is being stopped. */
  stops: number
}

/** Notes what is wrong with a final status that was reported for a job now, to a request of `beganAt`. */
function checkEnd(world: World, id: string, { status, beganAt }: { status: Status; beganAt: number }): void {
  const { breaches } = world.findings
  const stored = storedJob(world, id)
  if (stored.status !== status) breaches.push(`${id} ${status} is not stored`)
  const lateMs = Date.now() - Math.max(Date.parse(stored.finished_at), beganAt)
  if (lateMs >= MISSED_MS) breaches.push(`${id} ${status} reported ${lateMs} ms after its end`)
}

/** Status and end of a job in the database file. */
function storedJob({ service }: World, id: string): { status: Status; finished_at: string } {
  using db = new Database(join(service.folder, 'svc_data/svc.db'), { readonly: true })
  const query = db.query<{ status: Status; finished_at: string }, [{ $id: string }]>(
    'SELECT status, finished_at FROM quantum_jobs WHERE id = $id',
  )
  const job = query.get({ $id: id })
  if (!job) throw new Error(`job ${id} is not stored`)
  return job
}

/** Sends one waiting request and checks its response; returns the status, undefined after a kill. */
async function wait(world: World, id: string, from: Status | undefined): Promise<Status | undefined> {
  const { service, token, findings } = world
  const { breaches, seen } = findings
  const seconds = pick([1, 2, LONG_S, LONG_S])
  const query = `wait=${seconds}${from === undefined ? '' : `&status=${from}`}&fields=status`
  const [began, beganAt] = [performance.now(), Date.now()]
  const stopsBefore = world.stops
  const response = await service
    .call<JobSeen>('GET', `/api/jobs/${id}?${query}`, { token })
    .catch(() => undefined)
  if (response?.status !== 200) {
    seen.killed += 1
    await Bun.sleep(20)
    return undefined
  }
  const { status } = response.body
  const isOver = performance.now() - began >= seconds * 1_000
  // A server that stops responds before the time.
  const wasStopped = world.stops % 2 === 1 || world.stops > stopsBefore
  const isAwaited = from === undefined ? isFinal(status) : status !== from
  if (isFinal(status)) checkEnd(world, id, { status, beganAt })
  if (!isAwaited && !isOver && !wasStopped) breaches.push(`${id} ${status} before ${seconds} s`)
  if (isAwaited) seen[isFinal(status) ? 'ended' : 'changed'] += 1
  else seen[isOver ? 'over' : 'stopped'] += 1
  return status
}

/** Submits jobs, cancels some, and waits for each until it has ended, once or twice at the same time. */
async function client(world: World, signal: AbortSignal): Promise<void> {
  const { service, token } = world
  while (!signal.aborted) {
    const id = await submit(service, token).catch(() => undefined)
    if (id === undefined) await Bun.sleep(20)
    if (id === undefined) continue
    await Bun.sleep(pick([0, 0, 30]))
    if (Math.random() < 0.2) {
      void service.call('POST', `/api/jobs/${id}/cancel`, { token }).catch(() => undefined)
    }
    for (let status: Status | undefined; status === undefined || !isFinal(status); ) {
      const froms = pick<readonly (Status | undefined)[]>([[undefined], [status], [undefined, 'pending']])
      const statuses = await Promise.all(froms.map((from) => wait(world, id, from)))
      status = statuses.find((each) => each !== undefined && isFinal(each)) ?? statuses[0]
    }
  }
}

test('a waiting request never misses an end and never responds early, under kills and restarts', async () => {
  using folder = temporaryFolder()
  const flags = ['--job-timeout', '3s', '--recovery-interval', '200ms', '--max-attempts', '0']
  await using service = await Service.install(folder.path, { flags })
  await service.start()
  const { token } = await service.createUser(1_000_000)
  const qpu = await service.createQpu('target')
  const driver = service.startDriver('target', qpu, 'mock', ['latency=0:0.1'])
  const world: World = { service, token, findings: new Findings(), stops: 0 }
  const stop = new AbortController()
  const clients = Array.from({ length: CLIENTS }, () => client(world, stop.signal))
  for (let restart = 0; restart < RESTARTS; restart += 1) {
    const before = world.findings.seen.ended
    await until('the end of further jobs', async () => world.findings.seen.ended >= before + CLIENTS)
    await Bun.sleep(500 * Math.random())
    const signal = pick(['SIGKILL', 'SIGTERM'] as const)
    world.stops += 1
    await service.stop(signal)
    world.stops += 1
    await service.start()
  }
  stop.abort()
  await Promise.all(clients)
  driver.kill('SIGTERM')
  await driver.exited
  await service.stop()
  const { breaches, seen } = world.findings
  expect(breaches).toEqual([])
  expect(seen.ended).toBeGreaterThanOrEqual(RESTARTS * CLIENTS)
  expect((await service.doctor()).out).toContain('no problems found')
})
