import { Database } from 'bun:sqlite'
import { expect } from 'bun:test'
import { join } from 'node:path'
import { ensureFailpointsBuild, FAILPOINTS_EXECUTABLE } from '../../../scripts/ensure-build.ts'
import type { Failpoint } from '../../../src/base/index.ts'
import type { Operation } from '../../../src/protocol/index.ts'
import { type Running, startSvc } from '../executable/background-process.ts'
import { type JobSeen, readJob, timesOf, untilJob } from '../executable/job-calls.ts'
import { Journal } from '../executable/journal.ts'
import { Service } from '../executable/service.ts'
import { outboxIds } from '../outbox-ids.ts'
import { temporaryFolder } from '../temporary-folder.ts'
import { until } from '../until.ts'
import { closeRow, faultRuns } from './fault-runs.ts'

/** How often each row is repeated. */
export const ROW_RUNS = faultRuns(1)

/** Time limit of a test that repeats a row, in ms. */
export const ROW_TIMEOUT_MS = 60_000 + ROW_RUNS * 20_000

/** `name:nth:action` for SVC_FAILPOINT; '' = none. */
export type Armed = '' | `${Failpoint}:${number}:${'kill' | 'throw' | 'hang'}`

type Folder = ReturnType<typeof temporaryFolder>

interface LabOptions {
  /** Further flags of the server. */
  flags?: string[]
}

interface RowOptions {
  runs?: number
  /** Called before journal and database are compared. */
  finish?: () => Promise<void>
}

/** Losses and duplicates of other records than jobs, such as time requests and bookings. */
type Wrong = 'lost' | 'duplicated' | 'charged twice'

/** One repetition of a row. */
export interface Round {
  /** Counted from 0. */
  run: number
  /** Submits a job and waits for its acceptance, across restarts of the server. */
  submit(comment?: string): Promise<string>
  /** Counts errors that are not in the journal of jobs. */
  note(wrong: Wrong, times: number): void
}

/** Name and credentials of a registered driver. */
export interface DriverAccess {
  id: string
  name: string
  token: string
}

interface DriverStart {
  armed?: Armed
  /** Default `mock`. */
  device?: string
  options?: string[]
  /** Another driver than the QPU's first one. */
  as?: DriverAccess
  operation?: Operation
  /** A program that starts it. */
  prefix?: string[]
}

/** A server with failure points, its QPU `target` and a user with time, and the faults that tests cause. */
export class FaultLab implements AsyncDisposable {
  readonly service: Service
  readonly user: { id: string; token: string }
  readonly qpu: { id: string; token: string; fingerprint: string }
  readonly #folder: Folder
  /** Where the log of the present server begins. */
  #logAt = 0

  private constructor(parts: Pick<FaultLab, 'service' | 'user' | 'qpu'>, folder: Folder) {
    this.service = parts.service
    this.user = parts.user
    this.qpu = parts.qpu
    this.#folder = folder
  }

  /** A lab with a running server. A lost driver is noticed after 2 s, and jobs are tried until they end. */
  static async open({ flags = [] }: LabOptions = {}): Promise<FaultLab> {
    await ensureFailpointsBuild()
    const folder = temporaryFolder()
    const settings = ['--job-timeout', '2s', '--recovery-interval', '100ms', '--max-attempts', '0']
    const service = await Service.install(folder.path, {
      executable: FAILPOINTS_EXECUTABLE,
      flags: [...settings, '--max-open-time-requests', '1000', ...flags],
    })
    await service.start()
    const qpu = await service.createQpu('target')
    const user = await service.createUser(1_000_000)
    return new FaultLab({ service, user, qpu }, folder)
  }

  get folder(): string {
    return this.#folder.path
  }

  /** Starts the server again, with a failure point or without. */
  async restart(armed: Armed = '', signal: 'SIGTERM' | 'SIGKILL' = 'SIGKILL'): Promise<void> {
    await this.service.stop(signal)
    this.#logAt = this.service.log.length
    await this.service.start({ SVC_FAILPOINT: armed })
  }

  /** Waits until the armed server has killed itself, and starts it again. */
  async recover(): Promise<void> {
    await this.service.ended()
    await this.service.start()
  }

  /** Waits until the present server has reached its failure point. */
  async hit(armed: Armed): Promise<void> {
    await this.service.untilLogged(`failpoint ${armed.split(':')[0]}: `, this.#logAt)
  }

  /** Registers one more driver of the QPU. */
  async addDriver(name: string, operation: Operation = 'process'): Promise<DriverAccess> {
    const response = await this.service.call<{ id: string; token: string }>(
      'POST',
      '/api/op/drivers/create',
      {
        token: await this.service.admin(),
        body: { name, qpu: this.qpu.id, operation },
      },
    )
    expect(response.status).toBe(201)
    return { name, id: response.body.id, token: response.body.token }
  }

  /** Starts a driver of the QPU and waits until it is connected. */
  async startDriver(start: DriverStart = {}): Promise<Running> {
    const { armed = '', device = 'mock', options = [], as, operation = 'process', prefix = [] } = start
    const { service, qpu, folder } = this
    const { name, token } = as ?? { name: 'target', token: qpu.token }
    const pragmas = device === 'mock' ? ['pragmas=true'] : []
    const args = service.driverArgs(name, qpu.fingerprint, device, [...pragmas, ...options])
    args[args.indexOf('--operation') + 1] = operation
    const env = { SVC_ACCESS_TOKEN: token, SVC_FAILPOINT: armed }
    const driver = startSvc(args, { cwd: folder, env, prefix, executable: service.executable })
    await driver.untilLogged('"message":"connected"')
    return driver
  }

  /** Waits until something has happened to a job. */
  async untilEvent(id: string, event: string): Promise<void> {
    const { service, user } = this
    await until(`job ${id}: ${event}`, async () => timesOf(await readJob(service, user.token, id), event) > 0)
  }

  /** Waits for the end of a job, which has to be completed. */
  async untilCompleted(id: string): Promise<JobSeen> {
    const job = await untilJob(this.service, this.user.token, id)
    expect(job.status).toBe('completed')
    return job
  }

  /** One number out of the database. */
  count(sql: string, params: Record<string, string> = {}): number {
    using db = new Database(join(this.folder, 'svc_data', 'svc.db'), { readonly: true, strict: true })
    return (db.query(sql).values(params) as unknown as number[][])[0]?.[0] ?? 0
  }

  /** Waits until the results of a driver, the first one unless named, are all acknowledged. */
  async untilAcknowledged(name = 'target'): Promise<void> {
    const outbox = join(this.folder, 'drivers', name, 'data', 'outbox')
    await until('an empty outbox', async () => (await outboxIds(outbox)).length === 0)
  }

  /**
   * Repeats one row, ROW_RUNS times by default, and expects journal and database to agree.
   * The jobs of `once` have to be completed in the end.
   */
  async row(
    name: string,
    once: (round: Round) => Promise<void>,
    { runs = ROW_RUNS, finish }: RowOptions = {},
  ): Promise<void> {
    const journal = new Journal()
    const wrong = { lost: 0, duplicated: 0, 'charged twice': 0 }
    let sent = 0
    for (let run = 0; run < runs; run += 1) {
      const submit = (comment = '') => {
        sent += 1
        return journal.submit(
          this.service,
          this.user.token,
          `${name} ${sent}`.replaceAll(/\W+/g, '-'),
          comment,
        )
      }
      const note: Round['note'] = (what, times) => {
        wrong[what] += times
      }
      await once({ run, submit, note })
    }
    await finish?.()
    const { submitted, completed, uncharged, ...found } = journal.compare(this.folder)
    wrong.lost += found.lost
    wrong.duplicated += found.duplicated + found.completedTwice
    wrong['charged twice'] += found.chargedTwice
    closeRow(name, { runs, ...wrong })
    expect({ ...wrong, completed, uncharged }).toEqual({
      ...{ lost: 0, duplicated: 0, 'charged twice': 0 },
      ...{ completed: submitted, uncharged: 0 },
    })
  }

  /** Stops the server and checks the invariants of its data. */
  async close(): Promise<void> {
    await this.service.stop()
    const { status, out, err } = await this.service.doctor()
    this.#folder[Symbol.dispose]()
    expect({ status, out, err }).toEqual({ status: 0, out: 'svc_data: no problems found\n', err: '' })
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.service.stop('SIGKILL')
    this.#folder[Symbol.dispose]()
  }
}
