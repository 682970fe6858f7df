import { newId } from '../../../src/base/index.ts'
import type { RecordOf } from '../../../src/db/index.ts'
import {
  type CalibrationRequest,
  calibrationRequests,
  calibrationResults,
  insertCalibration,
} from '../../../src/db/store/calibrations/index.ts'
import type { DispatchTarget } from '../../../src/db/store/jobs/index.ts'
import { calibratingQpus, createDriver, type Driver, type Qpu } from '../../../src/db/store/qpus/index.ts'
import { CalibrationDispatcher } from '../../../src/server/calibration/dispatcher.ts'
import { CalibrationRecovery } from '../../../src/server/calibration/recover.ts'
import { DispatchBackoff } from '../../../src/server/drivers/dispatch-backoff.ts'
import { createEventHandler } from '../../../src/server/events/handlers.ts'
import { Heartbeats } from '../../../src/server/jobs/attempts/heartbeats.ts'
import type { FakeClock } from '../fake-clock.ts'
import { JobLab } from './job-lab.ts'

/** The smallest possible report. */
export const REPORT = {
  ...{ mode: 'full', status: 'success', backend: 'test', device_file: null },
  ...{ routines: [], benchmarks: [], skipped: [], errors: [], notes: [] },
}

/** One QPU with a tuner, and the server's side of calibrations, on a real database. */
export class CalibrationLab implements AsyncDisposable {
  readonly lab: JobLab
  readonly qpu: Qpu & { driver: Driver }
  readonly tuner: Driver
  readonly dispatcher: CalibrationDispatcher
  readonly recovery: CalibrationRecovery
  readonly heartbeats: Heartbeats
  readonly handle: ReturnType<typeof createEventHandler>

  private constructor(lab: JobLab, qpu: Qpu & { driver: Driver }, tuner: Driver) {
    this.lab = lab
    this.qpu = qpu
    this.tuner = tuner
    const backoff = new DispatchBackoff(lab.clock)
    this.recovery = new CalibrationRecovery(lab.dependencies())
    const heartbeats = new Heartbeats(lab.clock, lab.config.jobTimeout)
    this.heartbeats = heartbeats
    this.dispatcher = new CalibrationDispatcher({ ...lab.dependencies(), heartbeats, backoff })
    this.handle = createEventHandler({ context: lab.dependencies(), heartbeats, backoff })
  }

  static async open(): Promise<CalibrationLab> {
    const lab = await JobLab.open()
    const qpu = await lab.qpu()
    return new CalibrationLab(lab, qpu, await CalibrationLab.tuner(lab, qpu))
  }

  /** A tuner of a QPU. */
  static tuner(lab: JobLab, qpu: Qpu, name = 'tuner'): Promise<Driver> {
    return createDriver(lab.db, 'test', {
      ...{ name, qpu: qpu.id, operation: 'calibrate', device: 'scripted', enabled: true },
      tokenHash: `token of ${name}`,
    })
  }

  get clock(): FakeClock {
    return this.lab.clock
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.lab[Symbol.asyncDispose]()
  }

  attach(tuner = this.tuner): Promise<DispatchTarget> {
    return this.lab.attach(tuner)
  }

  request(driver = this.tuner.id): Promise<CalibrationRequest> {
    return this.lab.db.write('request', (tx) =>
      insertCalibration(tx, { driver, mode: 'full', targetQubits: [], actor: 'superuser:test' }),
    )
  }

  async read(id: string): Promise<CalibrationRequest> {
    const row = await this.lab.db.read((tx) => tx.find(calibrationRequests, id))
    if (!row) throw new Error(`there is no request ${id}`)
    return row
  }

  reports(): Promise<RecordOf<typeof calibrationResults>[]> {
    return this.lab.db.read((tx) => tx.list(calibrationResults))
  }

  /** A request whose run has been sent to its tuner: its id, the run and the lease. */
  async running(): Promise<{ id: string; run: string; server: DispatchTarget }> {
    const server = await this.attach()
    const { id } = await this.request()
    await this.dispatcher.dispatchOnce()
    return { id, run: (await this.read(id)).run_id, server }
  }

  /** Sends an event as a tuner, under its newest lease or `epoch`. */
  async sendEvent(type: string, payload: object, { tuner = this.tuner, epoch = 0 } = {}): Promise<void> {
    await this.handle(
      {
        ...{ driver: tuner.id, name: tuner.name, qpu: tuner.qpu, operation: 'calibrate' },
        epoch: epoch || (this.lab.hub.epochs.get(tuner.id) ?? 0),
      },
      { type, id: `event of ${type}`, ts: '2026-01-31T09:05:00.000Z', payload },
    )
  }

  hello(held: { run_id?: string; own_run?: string; outbox?: string[] } = {}): Promise<void> {
    const payload = { version: 'test', device: 'scripted', epoch: 0, running: null, outbox: [], ...held }
    return this.sendEvent('DriverHello', payload)
  }

  report(run: string, request: string | null, changes: object = {}, tuner = this.tuner): Promise<void> {
    const at = new Date(this.clock.now()).toISOString()
    const payload = { ...REPORT, run_id: run, request_id: request, started_at: at, ended_at: at, ...changes }
    return this.sendEvent('CalibrationReport', payload, { tuner })
  }

  /** The tuner starts a calibration on its own; returns its run. */
  async startOwn(): Promise<string> {
    const run = this.newRun()
    await this.sendEvent('CalibrationStarted', { run_id: run, request_id: null, mode: 'fidelity_check' })
    return run
  }

  /** Whether the QPU counts as calibrating. */
  async isCalibrating(): Promise<boolean> {
    return (await this.lab.db.read((tx) => tx.read(calibratingQpus()))).has(this.qpu.id)
  }

  /** An id that no run has. */
  newRun(): string {
    return newId(this.clock.now())
  }
}
