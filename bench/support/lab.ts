import { join } from 'node:path'
import { Service, SVC } from '../../tests/support/executable/service.ts'
import { temporaryFolder } from '../../tests/support/temporary-folder.ts'
import { until } from '../../tests/support/until.ts'
import { Listener } from './listener.ts'
import { postJob } from './post-job.ts'

const QPU = 'bench_qpu'

interface LabOptions {
  /** Executable to install instead of the one under test. */
  executable?: string
  /** Address of the database instead of a file in the data folder. */
  database?: string
  /** Writes into the database while the server is stopped. */
  fill?: (database: string, ids: { owner: string; qpu: string }) => void
}

/**
 * An installation of the built executable: one server, one QPU, one user and at most one running driver.
 */
export class Lab implements AsyncDisposable {
  readonly service: Service
  /** Id and login token of the user. */
  readonly owner: string
  readonly token: string
  readonly #folder: ReturnType<typeof temporaryFolder>
  readonly #qpu: Awaited<ReturnType<Service['createQpu']>>
  #driver: Bun.Subprocess | undefined

  private constructor(
    folder: ReturnType<typeof temporaryFolder>,
    service: Service,
    qpu: Awaited<ReturnType<Service['createQpu']>>,
    owner: { id: string; token: string },
  ) {
    this.#folder = folder
    this.service = service
    this.#qpu = qpu
    this.owner = owner.id
    this.token = owner.token
  }

  /** Installs and starts the server with production settings and log. */
  static async open({ executable = SVC, database, fill }: LabOptions = {}): Promise<Lab> {
    const folder = temporaryFolder()
    const service = database
      ? Service.elsewhere(folder.path, { executable, flags: ['--database', database] })
      : await Service.install(folder.path, { executable })
    if (database) {
      service.launch()
      const ready = async () => (await fetch(`${service.url}/api/health?ready=1`)).ok
      await until('the server to lead', ready)
      await service.setUp()
    } else {
      await service.start()
    }
    const { id: owner, token } = await service.createUser(1_000_000)
    const qpu = await service.createQpu(QPU)
    if (fill) {
      await service.stop()
      fill(join(folder.path, 'svc_data/svc.db'), { owner, qpu: qpu.id })
      // The server first checks every page of the database.
      await service.start({}, [], 600_000)
    }
    return new Lab(folder, service, qpu, { id: owner, token })
  }

  /** Starts a driver and waits until the server reports it online. Returns the duration in ms. */
  async startDriver(device = 'mock'): Promise<number> {
    const start = performance.now()
    this.#driver = this.service.startDriver(QPU, this.#qpu, device)
    await this.service.untilOnline(QPU)
    return performance.now() - start
  }

  /** Id of the QPU. */
  get qpu(): string {
    return this.#qpu.id
  }

  get driverPid(): number | undefined {
    return this.#driver?.pid
  }

  async stopDriver(): Promise<void> {
    this.#driver?.kill('SIGTERM')
    await this.#driver?.exited
    this.#driver = undefined
  }

  /** Lets the QPU take no jobs, or take them again, while its driver stays connected. */
  async setDrain(drain: boolean): Promise<void> {
    const token = await this.service.admin()
    const { status } = await this.service.call('POST', '/api/op/qpu/drain', {
      token,
      body: { name: QPU, drain },
    })
    if (status !== 200) throw new Error(`draining ${QPU} returned ${status}`)
  }

  /** Submits a Bell pair with 100 shots; returns the id of the job. */
  async submit(): Promise<string> {
    const response = await postJob(this.service.url, this.token)
    if (response.status !== 201) throw new Error(`the submission returned ${JSON.stringify(response)}`)
    return response.id
  }

  /** Submits `count` jobs, `width` at a time; returns their ids in the order of the responses. */
  async submitMany(count: number, width: number): Promise<string[]> {
    const ids: string[] = []
    let left = count
    const client = async () => {
      while (left > 0) {
        left -= 1
        ids.push(await this.submit())
      }
    }
    await Promise.all(Array.from({ length: width }, client))
    return ids
  }

  /** The job as its owner sees it. */
  async job(id: string): Promise<{ status: string; created: string; finished_at: string }> {
    const path = `/api/jobs/${id}`
    return (await this.service.call<Awaited<ReturnType<Lab['job']>>>('GET', path, { token: this.token })).body
  }

  /**
   * Waits until all of `ids` are completed; polls rarely, so that polling does not affect the measurement.
   */
  async untilCompleted(ids: readonly string[]): Promise<void> {
    for (const id of ids.toReversed()) {
      await until('a job to complete', async () => (await this.job(id)).status === 'completed', {
        timeoutMs: 300_000,
        intervalMs: 100,
      })
    }
  }

  /** Subscribes to the changes of all jobs. */
  listen(): Promise<Listener> {
    return Listener.open(this.service.url, this.token)
  }

  /** Stops driver and server; the folder remains until the lab is disposed of. */
  async stop(): Promise<void> {
    await this.stopDriver()
    await this.service.stop()
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.stop()
    this.#folder[Symbol.dispose]()
  }
}
