import * as v from 'valibot'
import { silentLog, systemClock } from '../../../src/base/index.ts'
import { checkInvariants, type Database, type DatabasePlace, type Tx } from '../../../src/db/index.ts'
import { type User, users } from '../../../src/db/store/accounts/index.ts'
import {
  finishValues,
  type Report,
  storeReport,
  storeValues,
} from '../../../src/db/store/calibrations/index.ts'
import {
  type AttemptResult,
  applyResult,
  type Claim,
  claimable,
  claimJob,
  type DispatchTarget,
  findJob,
  idleQpus,
  insertJob,
  type Job,
  type JobNeeds,
  JobOrder,
  type KnownProvenance,
  type ResultOutcome,
  resultReads,
  type SubmitLimits,
  submitterOf,
  type TimelineEntry,
  timelineOf,
} from '../../../src/db/store/jobs/index.ts'
import {
  attachLease,
  createDriver,
  createQpu,
  type Driver,
  type Qpu,
  qpus,
  releaseLease,
} from '../../../src/db/store/qpus/index.ts'
import { expectedResultsOf, jobPayload } from '../../../src/protocol/index.ts'
import { readConfig } from '../../../src/server/config/read-config.ts'
import type { Config } from '../../../src/server/config/settings.ts'
import type { DriverHub, OutgoingCommand } from '../../../src/server/driver-hub.ts'
import type { Caller } from '../../../src/server/http/caller.ts'
import { submissionWorker } from '../../../src/server/jobs/submission/examine.ts'
import { SubmissionThread } from '../../../src/server/programs/submission-thread.ts'
import { openTestDatabase, type TestDatabase } from '../database.ts'
import type { FakeClock } from '../fake-clock.ts'
import { takeLease } from '../take-lease.ts'

/** A hub without sockets: records the commands, and refuses them on request. */
export class TestHub implements DriverHub {
  readonly sent: { driver: string; command: OutgoingCommand }[] = []
  readonly disconnected: { driver: string; reason: string }[] = []
  readonly epochs = new Map<string, number>()
  /** Drivers whose results are arriving. */
  readonly receiving = new Set<string>()
  isFull = false

  send(driver: string, command: OutgoingCommand): boolean {
    if (this.isFull || !this.epochs.has(driver)) return false
    this.sent.push({ driver, command })
    return true
  }

  attachedEpoch(driver: string): number | undefined {
    return this.epochs.get(driver)
  }

  isReceiving(driver: string): boolean {
    return this.receiving.has(driver)
  }

  disconnect(driver: string, reason: string): void {
    this.disconnected.push({ driver, reason })
  }

  /** The commands of one type, in the order in which they were sent. */
  commands<Type extends OutgoingCommand['type']>(type: Type): Extract<OutgoingCommand, { type: Type }>[] {
    return this.sent.flatMap(({ command }) => (isOf(command, type) ? [command] : []))
  }
}

function isOf<Type extends OutgoingCommand['type']>(
  command: OutgoingCommand,
  type: Type,
): command is Extract<OutgoingCommand, { type: Type }> {
  return command.type === type
}

export const BELL =
  'OPENQASM 3.0;\ninclude "stdgates.inc";\nqubit[2] q;\nbit[2] c;\nh q[0];\ncx q[0], q[1];\nc = measure q;\n'

/** The smallest possible payload of a job. */
export const PAYLOAD = {
  circuits: [{ circuit: BELL }],
  shots: 100,
  meas_level: 2,
  meas_return: 'single',
  memory: false,
} as const

/** SHA-256 of `BELL`, as it is stored. */
export const PROGRAM_HASH = new Bun.CryptoHasher('sha256').update(BELL).digest('base64url')

/** What the results of `PAYLOAD` must contain. */
export const EXPECTED = JSON.stringify(expectedResultsOf(v.parse(jobPayload, PAYLOAD), [2]))

/** Results of `PAYLOAD`. */
export const RESULTS = {
  success: true,
  backend: 'test',
  shots: 100,
  counts: { '00': 100 },
  circuit_results: [
    {
      ...{ shots: 100, counts: { '00': 100 }, metadata: { parameter_set: 0 } },
      header: {
        ...{ name: 'circuit_0', n_qubits: 2, memory_slots: 2, metadata: {} },
        creg_sizes: [['c', 2] as [string, number]],
        qreg_sizes: [['q', 2] as [string, number]],
      },
    },
  ],
  metadata: {},
}

/** A real database with users, QPUs and drivers created on demand. */
export class JobLab implements AsyncDisposable {
  readonly hub = new TestHub()
  readonly config: Config
  readonly log = silentLog
  readonly submissionThread = new SubmissionThread(submissionWorker, systemClock)
  readonly db: Database
  readonly clock: FakeClock
  readonly order: JobOrder
  /** Folder of the database. */
  readonly dir: string
  readonly place: DatabasePlace
  readonly #close: () => Promise<void>
  #count = 0

  private constructor({ db, clock, dir, place, ...test }: TestDatabase, config: Config, order: JobOrder) {
    this.db = db
    this.clock = clock
    this.dir = dir
    this.place = place
    this.config = config
    this.order = order
    this.#close = async () => test[Symbol.asyncDispose]()
  }

  static async open(flags: Record<string, string> = {}): Promise<JobLab> {
    const test = await openTestDatabase()
    const { config } = readConfig({ flags, env: {} })
    return new JobLab(test, config, await JobOrder.open(test.db))
  }

  /** Closes the database; a violated invariant in it fails the test. */
  async [Symbol.asyncDispose](): Promise<void> {
    const findings = await this.db.read((tx) => checkInvariants(tx, this.config))
    await this.#close()
    if (findings.length > 0) throw new Error(`broken promises: ${JSON.stringify(findings)}`)
  }

  user(seconds = 100): Promise<User> {
    this.#count += 1
    const email = `user${this.#count}@example.org`
    return this.db.write('user', (tx) => tx.insert(users, { email, verified: true, qpu_seconds: seconds }))
  }

  async qpu({ numQubits = 1, enabled = true } = {}): Promise<Qpu & { driver: Driver }> {
    this.#count += 1
    const { qpu, driver } = await createQpu(this.db, 'test', {
      name: `qpu_${this.#count}`,
      executorType: 'mock',
      numQubits,
      enabled,
      tokenHash: `token of qpu ${this.#count}`,
    })
    return { ...qpu, driver }
  }

  /** A second process driver of a QPU. */
  standby(qpu: Qpu): Promise<Driver> {
    this.#count += 1
    return createDriver(this.db, 'test', {
      name: `standby_${this.#count}`,
      qpu: qpu.id,
      operation: 'process',
      device: 'mock',
      enabled: true,
      tokenHash: `token of driver ${this.#count}`,
    })
  }

  /** Attaches a driver under a new lease. */
  async attach(driver: Driver): Promise<DispatchTarget> {
    const target = await takeLease(this.db, driver)
    this.hub.epochs.set(driver.id, target.epoch)
    await attachLease(this.db, target)
    return target
  }

  async detach({ driver, epoch }: DispatchTarget): Promise<void> {
    this.hub.epochs.delete(driver)
    await releaseLease(this.db, { driver, epoch })
  }

  /** A running job of the user on a QPU of its own: the attempt that its driver reports on. */
  async running(user: User): Promise<{ job: string; attempt: number; driver: string }> {
    const qpu = await this.qpu()
    const target = await this.attach(qpu.driver)
    const job = await this.submit(user, qpu.id)
    await this.db.write('claim', (tx) => claimNow(tx, job.id, target))
    return { job: job.id, attempt: 1, driver: target.driver }
  }

  /** Queues a job, which needs a number of qubits or more than that. */
  submit(
    user: User,
    qpu = '',
    needed: number | Partial<JobNeeds> = 2,
    more: Partial<Parameters<typeof insertJob>[1]> = {},
  ): Promise<Job> {
    const needs = typeof needed === 'number' ? { qubits: needed } : needed
    return this.db.write('submit', (tx) =>
      insertNow(
        tx,
        {
          ...{ user: user.id, qpu, payload: PAYLOAD, needs, expected: EXPECTED, programHash: PROGRAM_HASH },
          ...more,
        },
        { maxPending: 1_000_000 },
      ),
    )
  }

  async job(id: string): Promise<Job> {
    const job = await this.db.read((tx) => findJob(tx, id))
    if (!job) throw new Error(`there is no job ${id}`)
    return job
  }

  timeline(id: string): Promise<TimelineEntry[]> {
    return this.db.read((tx) => tx.read(timelineOf(id)))
  }

  /** The timeline of a job, without times. */
  async history(id: string): Promise<string[]> {
    return (await this.timeline(id)).map(({ event, attempt }) => `${event} ${attempt}`)
  }

  /** The balance of a user in ms. */
  async balance(user: User): Promise<number> {
    const row = await this.db.read((tx) =>
      tx.one<{ qpu_ms: number }>('SELECT qpu_ms FROM users WHERE id = $id', { id: user.id }),
    )
    return row?.qpu_ms ?? Number.NaN
  }

  /** Changes fields of a QPU. */
  async setQpu(id: string, patch: Partial<Qpu>): Promise<void> {
    await this.db.write('change qpu', (tx) => tx.update(qpus, id, patch))
  }

  /** The dependencies that the parts of the server have in common. */
  dependencies() {
    const { db, hub, clock, log, config, order } = this
    return { db, hub, clock, log, config, order }
  }

  /** Completes the running attempt of a job like its driver. */
  async complete(id: string, provenance?: KnownProvenance): Promise<void> {
    const { driver, attempt } = await this.job(id)
    const outcome = { kind: 'completed', results: RESULTS } as const
    await this.db.write('end', (tx) =>
      endNow(tx, { job: id, attempt, driver, executionMs: 10, outcome, provenance }, { maxAttempts: 0 }),
    )
  }

  /** A calibration of a QPU that measured the fidelity of the readout of qubits. */
  async calibrate(
    { qpu, driver }: DispatchTarget,
    fidelities: Readonly<Record<string, number>>,
  ): Promise<void> {
    this.#count += 1
    const now = this.clock.now()
    const report: Report = {
      ...{ run: `run${this.#count}`, driver, qpu, request: null, mode: 'full', startedAt: now, endedAt: now },
      findings: {
        ...{ status: 'success', backend: '', device_file: null, routines: [], benchmarks: [] },
        ...{ skipped: [], notes: [], errors: [] },
      },
    }
    const values = Object.entries(fidelities).map(([element, value]) => ({
      ...{ element, parameter: 'readout_fidelity.fidelity', value, error: null, unit: '' },
      routine: 'readout_fidelity',
    }))
    await this.db.write('calibrate', (tx) => {
      storeReport(tx, report)
      const stored = tx.one<{ id: string; at: string }>(
        'SELECT id, finished_at AS at FROM calibration_results WHERE run_id = $run',
        { run: report.run },
      )
      if (!stored) throw new Error('the report was not stored')
      storeValues(tx, { ...stored, qpu }, values)
      finishValues(tx, { ...stored, qpu, values }, {})
    })
  }

  /** Waits until all asynchronous work that is ready has run. */
  async settle(): Promise<void> {
    for (let round = 0; round < 20; round += 1) await new Promise((resolve) => setImmediate(resolve))
  }

  caller(user: User): Caller {
    return {
      kind: 'user',
      user,
      via: 'login',
      login: { refreshable: true, expiresAt: Number.POSITIVE_INFINITY },
    }
  }
}

/** Puts a job into the queue, as a submission does. */
export function insertNow(tx: Tx, job: Parameters<typeof insertJob>[1], limits: SubmitLimits): Job {
  return insertJob(tx, job, limits, tx.read(submitterOf(job.user)))
}

/** Ends an attempt, as the event of its driver does. */
export function endNow(tx: Tx, result: AttemptResult, limits: { maxAttempts: number }): ResultOutcome {
  return applyResult(tx, result, limits, tx.read(resultReads(result)))
}

/** Claims a job for a QPU if it is idle, as the dispatcher does; without a limit on its attempts. */
export function claimNow(tx: Tx, id: string, target: DispatchTarget): Claim | undefined {
  const { idle, found } = tx.read({ idle: idleQpus(new Set([target.qpu])), found: claimable(id) })
  const isIdle = idle.some(({ driver, epoch }) => driver === target.driver && epoch === target.epoch)
  return isIdle ? claimJob(tx, id, target, { maxAttempts: 0 }, found) : undefined
}
