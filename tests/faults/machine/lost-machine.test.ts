import { Database } from 'bun:sqlite'
import { expect, setDefaultTimeout, test } from 'bun:test'
import { renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { BELL, Service } from '../../support/executable/service.ts'
import { closeRow, faultRuns } from '../../support/faults/fault-runs.ts'
import { openLitestream, Replicator } from '../../support/litestream/litestream.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'
import { until } from '../../support/until.ts'

// F25: the machine of the server is lost with its disk; Litestream has replicated its database elsewhere.
const RUNS = faultRuns(2)
setDefaultTimeout(120_000 + RUNS * 60_000)

const program = await openLitestream()
const LOAD_MS = 3_000
const CLIENTS = 8
/** Two seconds are promised, and measured alone with `FAULT_RUNS`; other tests delay the replicator. */
const MAX_LOSS_MS = RUNS > 2 ? 2_000 : 10_000

interface Accepted {
  id: string
  at: number
}

/** Submits as fast as the server accepts until `signal` aborts; returns what it has accepted, and when. */
async function load(service: Service, token: string, signal: AbortSignal): Promise<Accepted[]> {
  const accepted: Accepted[] = []
  const body = { circuits: [{ circuit: BELL }], shots: 10, qpu_target: 'target' }
  const client = async () => {
    while (!signal.aborted) {
      const response = await service
        .call<{ id: string }>('POST', '/api/jobs', { token, body })
        .catch(() => undefined)
      if (response?.status === 201) accepted.push({ id: response.body.id, at: performance.now() })
    }
  }
  await Promise.all(Array.from({ length: CLIENTS }, client))
  return accepted
}

function storedIds(path: string): Set<string> {
  using db = new Database(path, { readonly: true })
  return new Set(
    db
      .query<{ id: string }, []>('SELECT id FROM quantum_jobs')
      .all()
      .map(({ id }) => id),
  )
}

/**
 * Loses the machine `RUNS` times under load and restores it from the replica; returns what was accepted and
 * what of it is gone.
 */
async function loseMachine(flags: readonly string[]) {
  using folder = temporaryFolder()
  const data = join(folder.path, 'svc_data')
  const database = join(data, 'svc.db')
  const socket = join(folder.path, 'litestream.sock')
  const own = flags.length > 0 ? ['--replicator-socket', socket, ...flags] : []
  const replicate = (run: number) =>
    Replicator.open(program, database, { folder: join(folder.path, `replica-${run}`), socket })
  await using service = await Service.install(folder.path, { flags: ['--checkpoints', 'external', ...own] })
  let replicator = await replicate(0)
  await service.start()
  const qpu = await service.createQpu('target')
  const { token } = await service.createUser(1_000_000)
  const driver = service.startDriver('target', qpu)
  const worst = { lost: 0, ms: 0 }
  let [jobs, loadMs] = [0, 0]
  try {
    for (let run = 1; run <= RUNS; run += 1) {
      await service.untilOnline('target', 60_000)
      const end = new AbortController()
      const started = performance.now()
      const loading = load(service, token, end.signal)
      // Not always at the same place between two synchronizations.
      await Bun.sleep(LOAD_MS + Math.random() * 1_000)
      const lostAt = performance.now()
      await Promise.all([service.stop('SIGKILL'), replicator.stop('SIGKILL')])
      end.abort()
      const accepted = await loading
      rmSync(data, { recursive: true })
      await replicator.restore()
      expect(await service.doctor()).toMatchObject({ status: 0, out: 'svc_data: no problems found\n' })
      const stored = storedIds(database)
      const lost = accepted.filter(({ id }) => !stored.has(id))
      jobs += accepted.length
      loadMs += lostAt - started
      worst.lost = Math.max(worst.lost, lost.length)
      worst.ms = Math.max(worst.ms, ...lost.map(({ at }) => lostAt - at))
      replicator = await replicate(run)
      await service.start()
    }
  } finally {
    driver.kill('SIGKILL')
    await driver.exited
    await replicator.stop('SIGKILL')
  }
  const rate = Math.round((jobs / loadMs) * 1_000)
  return { jobs, 'jobs/s': rate, 'lost at most': worst.lost, 'within ms': Math.round(worst.ms) }
}

test.skipIf(program === undefined)(
  'a lost machine loses at most the last seconds, and the restored database is whole',
  async () => {
    const figures = await loseMachine([])
    closeRow('F25 lost machine', { runs: RUNS, ...figures })
    expect(figures.jobs).toBeGreaterThan(RUNS * 50)
    expect(figures['within ms']).toBeLessThan(MAX_LOSS_MS)
  },
)

test.skipIf(program === undefined)(
  'a lost machine loses nothing that was acknowledged, if that waits for the replica',
  async () => {
    const figures = await loseMachine(['--acknowledge', 'replicated'])
    closeRow('F28 lost machine, acknowledged when replicated', { runs: RUNS, ...figures })
    expect(figures.jobs).toBeGreaterThan(RUNS * 10)
    expect(figures['lost at most']).toBe(0)
  },
)

test.skipIf(program === undefined)(
  'while the replicator is frozen nothing is acknowledged, and nothing is lost when it goes on',
  async () => {
    using folder = temporaryFolder()
    const database = join(folder.path, 'svc_data/svc.db')
    const socket = join(folder.path, 'litestream.sock')
    const flags = ['--checkpoints', 'external', '--acknowledge', 'replicated', '--replicator-socket', socket]
    await using service = await Service.install(folder.path, {
      flags: [...flags, '--replicator-timeout', '1s'],
    })
    await using replicator = await Replicator.open(program, database, { socket })
    await service.start()
    await service.createQpu('target')
    const { token } = await service.createUser(1_000_000)
    const submit = (shots: number) =>
      service.call<{ id: string; code: string }>('POST', '/api/jobs', {
        token,
        body: { circuits: [{ circuit: BELL }], shots, qpu_target: 'target' },
      })
    expect((await submit(1)).status).toBe(201)
    replicator.signal('SIGSTOP')
    const refused = await Promise.all([submit(2), submit(3)])
    expect(refused).toMatchObject(refused.map(() => ({ status: 503, body: { code: 'not_replicated' } })))
    replicator.signal('SIGCONT')
    await until('changes to be acknowledged again', async () => (await submit(4)).status === 201)
    const { body } = await service.call<{ shots: number }[]>('GET', '/api/jobs?fields=shots', { token })
    expect(new Set(body.map(({ shots }) => shots))).toEqual(new Set([1, 2, 3, 4]))
  },
)

test.skipIf(program === undefined)(
  'a replicator that stopped shows in the metrics of both programs',
  async () => {
    using folder = temporaryFolder()
    await using service = await Service.install(folder.path, { flags: ['--checkpoints', 'external'] })
    await service.start()
    await service.createQpu('target')
    await using replicator = await Replicator.open(program, join(folder.path, 'svc_data/svc.db'))
    await replicator.stop('SIGKILL')
    expect(await replicator.metric('litestream_txid')).toBeUndefined()
    // Nobody empties the log any more: its age grows with each commit.
    const age = () => metricOf(service, 'svc_database_log_seconds')
    const before = await age()
    await Bun.sleep(20)
    await service.createUser(1, 'late@example.org')
    expect(await age()).toBeGreaterThan(before)
  },
)

test.skipIf(program === undefined)(
  'a replica that cannot be written shows in the metrics of the server',
  async () => {
    using folder = temporaryFolder()
    await using service = await Service.install(folder.path, { flags: ['--checkpoints', 'external'] })
    await service.start()
    const database = join(folder.path, 'svc_data/svc.db')
    await using replicator = await Replicator.open(program, database, { keepS: 1 })
    let users = 0
    const backlog = async () => {
      users += 1
      await service.createUser(1, `user-${users}@example.org`)
      return metricOf(service, 'svc_replicator_backlog_seconds')
    }
    renameSync(replicator.replica, `${replicator.replica}.away`)
    writeFileSync(replicator.replica, 'no folder')
    await until('the backlog to grow', async () => (await backlog()) > 5)
    rmSync(replicator.replica)
    renameSync(`${replicator.replica}.away`, replicator.replica)
    await until('the backlog to shrink', async () => (await backlog()) < 5)
  },
)

/** A metric of the server without labels. */
async function metricOf(service: Service, name: string): Promise<number> {
  const headers = { authorization: await service.admin() }
  const text = await (await fetch(`${service.url}/metrics`, { headers })).text()
  return Number(new RegExp(`^${name} (\\S+)$`, 'm').exec(text)?.[1])
}
