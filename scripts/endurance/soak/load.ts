import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { Listener } from '../../../bench/support/listener.ts'
import { postJob } from '../../../bench/support/post-job.ts'
import { systemClock } from '../../../src/base/index.ts'
import { startSimulatedFridge } from '../../../src/devices/index.ts'
import { Service, SVC } from '../../../tests/support/executable/service.ts'

/** The load on the server. */
export interface LoadOptions {
  folder: string
  /** Submissions per second. */
  jobsPerSecond: number
  /** Open event streams, at most 5; each is closed and opened again every half minute. */
  streams: number
}

type Fridge = Awaited<ReturnType<typeof startSimulatedFridge>>
type Qpu = Awaited<ReturnType<Service['createQpu']>>

/** Load of every kind that an installation has, until it is closed. */
export class Load implements AsyncDisposable {
  readonly service: Service
  readonly #options: LoadOptions
  readonly #stopping = new AbortController()
  readonly #processes = new Map<string, Bun.Subprocess>()
  readonly #fridge: Fridge
  readonly #tasks: Promise<void>[] = []
  /** Counts of each operation, and the errors. */
  readonly counts: Record<string, number> = {}

  private constructor(service: Service, fridge: Fridge, options: LoadOptions) {
    this.service = service
    this.#fridge = fridge
    this.#options = options
  }

  /**
   * Installs and starts a server with two drivers, a third that is restarted again and again, and a monitor.
   */
  static async open(options: LoadOptions): Promise<Load> {
    const flags = ['--events-retention', '2m', '--events-prune-interval', '30s', '--log-level', 'warn']
    const service = await Service.install(options.folder, { flags })
    await service.start()
    const fridge = await startSimulatedFridge({ clock: systemClock, startAt: 50 * 3_600 })
    const load = new Load(service, fridge, options)
    const qpus = await Promise.all(
      ['north', 'south', 'shaky'].map(async (name) => ({ name, ...(await service.createQpu(name)) })),
    )
    for (const qpu of qpus) load.#startDriver(qpu)
    const [north, , shaky] = qpus
    if (!north || !shaky) throw new Error('unreachable')
    await load.#startMonitor(north)
    await service.untilOnline('north')
    const user = await service.createUser(1_000_000_000)
    load.#begin(user.token, shaky)
    return load
  }

  /** The processes to watch, by name, without the driver that is restarted. */
  pids(): Map<string, number> {
    const kept = [...this.#processes].filter(([name]) => name !== 'shaky')
    return new Map([
      ['server', this.service.pid ?? 0],
      ...kept.map(([name, { pid }]): [string, number] => [name, pid]),
    ])
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stopping.abort()
    await Promise.all(this.#tasks)
    for (const process of this.#processes.values()) process.kill('SIGTERM')
    await Promise.all([...this.#processes.values()].map(({ exited }) => exited))
    await this.service.stop()
    await this.#fridge.stop()
  }

  #startDriver(qpu: Qpu & { name: string }): void {
    this.#processes.set(qpu.name, this.service.startDriver(qpu.name, qpu))
  }

  async #startMonitor(qpu: Qpu): Promise<void> {
    const body = { name: 'fridge', qpu: qpu.id, operation: 'monitor', device: 'cryostat_gen1' }
    const token = await this.service.admin()
    const made = await this.service.call<{ token: string; ca_fingerprint: string }>(
      'POST',
      '/api/op/drivers/create',
      {
        token,
        body,
      },
    )
    const folder = join(this.#options.folder, 'monitor')
    mkdirSync(folder)
    const args = [
      'driver',
      'start',
      '--operation',
      'monitor',
      '--device',
      'cryostat_gen1',
      '--svc-addr',
      this.service.url,
      '--ca-fingerprint',
      made.body.ca_fingerprint,
      '--ca-file',
      join(folder, 'ca.pem'),
      '--data-dir',
      join(folder, 'data'),
      '-o',
      'channels=mapper.bf.tmixing:K,mapper.bf.tstill:K',
      '-o',
      `base_url=${this.#fridge.url}`,
      '-o',
      'poll_interval=0.5',
    ]
    const process = Bun.spawn([SVC, ...args], {
      cwd: folder,
      env: { HOME: folder, SVC_ACCESS_TOKEN: made.body.token },
      stdio: ['ignore', 'ignore', Bun.file(join(folder, 'log'))],
    })
    this.#processes.set('monitor', process)
  }

  #begin(token: string, shaky: Qpu & { name: string }): void {
    const { service } = this
    const { jobsPerSecond, streams } = this.#options
    const get = (path: string) => service.call('GET', path, { token })
    this.#repeat('submissions', 1_000 / jobsPerSecond, async () => {
      const { status } = await postJob(service.url, token)
      if (status !== 201) throw new Error(`submission answered ${status}`)
    })
    this.#repeat('lists', 1_000, async () => {
      await get('/api/jobs?limit=50')
      await get('/api/collections/quantum_jobs/records?perPage=50&sort=-created')
      await get(`/api/collections/quantum_jobs/records?filter=${encodeURIComponent("status = 'completed'")}`)
      await get('/api/qpus')
      await get('/api/op/qpus/availability')
    })
    this.#repeat('admin lists', 5_000, async () => {
      const admin = { token: await service.admin() }
      await service.call('GET', '/api/collections/events/records?perPage=100&sort=-ts', admin)
      await fetch(`${service.url}/metrics`).then((response) => response.text())
    })
    // Below the limit of 10 a minute for one account.
    this.#repeat('logins', 10_000, async () => {
      const body = { identity: 'user@example.org', password: 'another long password' }
      await service.call('POST', '/api/collections/users/auth-with-password', { body })
    })
    this.#repeat('tokens', 10_000, async () => {
      const made = await service.call<{ id: string }>('POST', '/api/tokens', {
        token,
        body: { name: 'soak' },
      })
      await service.call('DELETE', `/api/tokens/${made.body.id}`, { token })
    })
    for (let stream = 0; stream < streams; stream += 1) this.#stream(token, stream)
    this.#repeat('driver restarts', 30_000, async () => {
      const process = this.#processes.get('shaky')
      process?.kill('SIGKILL')
      await process?.exited
      if (!this.#stopping.signal.aborted) this.#startDriver(shaky)
    })
  }

  #stream(token: string, number: number): void {
    let listener: Listener | undefined
    const pauseMs = 30_000 + number * 500
    this.#repeat('streams', pauseMs, async () => {
      listener?.close()
      listener = await Listener.open(this.service.url, token)
    })
    this.#stopping.signal.addEventListener('abort', () => listener?.close())
  }

  /** Does `work` every `everyMs`, one after the other, until the end; counts successes and failures. */
  #repeat(name: string, everyMs: number, work: () => Promise<void>): void {
    const { signal } = this.#stopping
    const run = async () => {
      while (!signal.aborted) {
        const [at, outcome] = [
          performance.now(),
          await work().then(
            () => name,
            () => `${name} failed`,
          ),
        ]
        this.counts[outcome] = (this.counts[outcome] ?? 0) + 1
        const pause = Math.max(0, everyMs - (performance.now() - at))
        await systemClock.sleep(pause, signal).catch(() => undefined)
      }
    }
    this.#tasks.push(run())
  }
}
