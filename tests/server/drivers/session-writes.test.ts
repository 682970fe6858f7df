import { expect, setDefaultTimeout, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { Glob } from 'bun'
import { newId } from '../../../src/base/index.ts'
import type { Database } from '../../../src/db/index.ts'
import { appErrorOf } from '../../../src/db/sqlite/connection.ts'
import { users } from '../../../src/db/store/accounts/index.ts'
import { calibratingQpus, descriptionOf } from '../../../src/db/store/qpus/index.ts'
import { EVENTS } from '../../../src/protocol/index.ts'
import { REPORT } from '../../support/server/calibration-lab.ts'
import { BELL, RESULTS } from '../../support/server/job-lab.ts'
import { type Script, ScriptedDriver } from '../../support/server/scripted-driver.ts'
import {
  openTestServer,
  type TestAccount,
  type TestQpu,
  type TestServer,
} from '../../support/server/server.ts'
import { until } from '../../support/until.ts'
import { combinations } from '../../support/whole.ts'

setDefaultTimeout(60_000)

/** What SQLite reports when a write fails. */
const FAULTS = { 'a full disk': 'SQLITE_FULL', 'an I/O error': 'SQLITE_IOERR_WRITE', 'a lock': 'SQLITE_BUSY' }

/** One failure can be luck of the order; after three, every retry has been tried more than once. */
const FAILURES = 3

const DESCRIPTION = { schema: 1, num_qubits: 5, features: ['mid_circuit_measurement'] }

/** A server whose writes of one intent fail at first, after their work is done. */
class Lab implements AsyncDisposable {
  readonly test: TestServer
  readonly qpu: TestQpu
  readonly written = new Set<string>()
  readonly #fault: { intent: string; code: string }
  #left = FAILURES
  #drivers: ScriptedDriver[] = []

  private constructor(test: TestServer, qpu: TestQpu, fault: { intent: string; code: string }) {
    this.test = test
    this.qpu = qpu
    this.#fault = fault
    const { write } = test.db
    const failing: Database['write'] = (intent, work) => {
      this.written.add(intent)
      if (intent !== this.#fault.intent || this.#left === 0) return write(intent, work)
      this.#left -= 1
      return write(intent, (tx) => {
        work(tx)
        throw appErrorOf('svc.db', { code: this.#fault.code, message: 'injected' })
      })
    }
    test.db.write = failing
  }

  static async open(intent: string, code: string): Promise<Lab> {
    const settings = { dispatchPollInterval: '50ms', recoveryInterval: '50ms', jobTimeout: '2s' }
    const test = await openTestServer({ settings })
    return new Lab(test, await test.createQpu('north'), { intent, code })
  }

  /** How many writes have failed. */
  get failed(): number {
    return FAILURES - this.#left
  }

  /** Starts the QPU's driver. */
  async driver(script: Script = {}): Promise<ScriptedDriver> {
    const { driver: id, token } = this.qpu
    return this.#start({ id, token }, { description: DESCRIPTION, ...script })
  }

  /** Registers and starts a tuner or monitor of the QPU. */
  async other(operation: 'calibrate' | 'monitor', script: Script = {}): Promise<ScriptedDriver> {
    const body = { name: operation, qpu: this.qpu.name, operation }
    const answer = await this.test.admin.post('/api/op/drivers/create', body)
    return this.#start({ id: answer.text('id'), token: answer.text('token') }, { operation, ...script })
  }

  async #start(credentials: { id: string; token: string }, script: Script): Promise<ScriptedDriver> {
    const driver = await ScriptedDriver.start(this.test, credentials, script)
    this.#drivers.push(driver)
    return driver
  }

  /** Driver, server and database agree that it is attached. */
  async untilAttached(driver: ScriptedDriver): Promise<void> {
    await until(`${driver.id} is attached`, async () => {
      const { epoch, status } = await this.#row(driver)
      return (
        driver.isAttached && this.test.context.hub.attachedEpoch(driver.id) === epoch && status === 'online'
      )
    })
  }

  /** Server and database agree that it is not. */
  async untilDetached(driver: ScriptedDriver): Promise<void> {
    await until(`${driver.id} is detached`, async () => {
      const { epoch, status } = await this.#row(driver)
      return (
        this.test.context.hub.attachedEpoch(driver.id) === undefined &&
        epoch === undefined &&
        status === 'offline'
      )
    })
  }

  async #row({ id }: ScriptedDriver): Promise<{ status?: string; epoch?: number | undefined }> {
    const row = await this.test.db.read((tx) =>
      tx.one<{ status: string; epoch: number | null }>(
        `SELECT drivers.status, leases.epoch FROM drivers
         LEFT JOIN leases ON leases.driver = drivers.id WHERE drivers.id = $id`,
        { id },
      ),
    )
    return { ...row, epoch: row?.epoch ?? undefined }
  }

  isDescribed(): Promise<boolean> {
    return this.test.db.read((tx) => tx.read(descriptionOf(this.qpu.id)) !== null)
  }

  isCalibrating(): Promise<boolean> {
    return this.test.db.read((tx) => tx.read(calibratingQpus()).has(this.qpu.id))
  }

  /** Runs one job to its end on a driver that `script` controls. */
  async job(script: Script): Promise<void> {
    const driver = await this.driver(script)
    await this.untilAttached(driver)
    await this.untilCompleted(driver, await this.submit())
  }

  async submit(): Promise<{ id: string; user: TestAccount }> {
    const user = await this.test.createUser({ qpuSeconds: 100 })
    const body = { qpu_target: this.qpu.name, circuits: [{ circuit: BELL }], shots: 100 }
    return { user, id: (await this.test.as(user).post('/api/jobs', body)).text('id') }
  }

  /** Waits for the end of a job on `driver`, and expects one charge. */
  async untilCompleted(
    driver: ScriptedDriver,
    { id, user }: { id: string; user: TestAccount },
  ): Promise<void> {
    await until(
      'the job is completed',
      async () => (await this.test.as(user).get(`/api/jobs/${id}`)).get('status') === 'completed',
    )
    await until('the result is acknowledged', () => driver.unacknowledged === 0)
    const { qpu_seconds: left } = (await this.test.db.read((tx) => tx.find(users, user.id))) ?? {}
    expect(left).toBe(99.999)
    await this.untilAttached(driver)
  }

  /** Requests a calibration and waits until its report is stored. */
  async calibration(script: Script): Promise<void> {
    const tuner = await this.other('calibrate', script)
    await this.untilAttached(tuner)
    const asked = await this.test.admin.post('/api/op/calibrate/dispatch', {
      driver_id: tuner.id,
      mode: 'full',
    })
    const path = `/api/collections/calibration_requests/records/${asked.text('id')}`
    await until(
      'the calibration is done',
      async () => (await this.test.admin.get(path)).get('status') === 'done',
    )
    const reports = await this.test.admin.get('/api/collections/calibration_results/records')
    expect(reports.get('totalItems')).toBe(1)
    expect(await this.isCalibrating()).toBe(false)
    await this.untilAttached(tuner)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all(this.#drivers.map((driver) => driver[Symbol.asyncDispose]()))
    await this.test[Symbol.asyncDispose]()
  }
}

type Run = Parameters<NonNullable<Script['onCommand']>>[0]

function finish(command: Run, driver: ScriptedDriver): void {
  if (command.type === 'RunJob') {
    const { job, attempt, epoch } = command
    const payload = { job, attempt, epoch, execution_ms: 1, status: 'completed', results: RESULTS }
    void driver.report('JobResult', `${job}.${attempt}`, payload)
  }
  if (command.type === 'RunCalibration') {
    const { run_id, request_id } = command
    const at = '2026-01-31T09:05:00.000Z'
    void driver.report('CalibrationReport', run_id, {
      ...REPORT,
      run_id,
      request_id,
      started_at: at,
      ended_at: at,
    })
  }
}

/** Refuses the first task and runs the others. */
function refuseFirst(): NonNullable<Script['onCommand']> {
  let isFirst = true
  return (command, driver) => {
    if (!isFirst) return finish(command, driver)
    if (command.type === 'RunJob') {
      isFirst = false
      const { job, attempt } = command
      driver.send('JobRefused', { job, attempt, reason: 'busy' })
    }
    if (command.type === 'RunCalibration') {
      isFirst = false
      driver.send('CalibrationRefused', { run_id: command.run_id, reason: 'busy' })
    }
  }
}

/** Connects a driver that describes itself. */
async function connects(lab: Lab): Promise<void> {
  await lab.untilAttached(await lab.driver())
  expect(await lab.isDescribed()).toBe(true)
}

/** Each write of a driver's session with the actions that cause it and what has to be true in the end. */
const ROWS: Record<string, (lab: Lab) => Promise<void>> = {
  'grant lease': connects,
  'attach lease': connects,
  'describe qpu': connects,
  async 'release lease'(lab) {
    const driver = await lab.driver()
    await lab.untilAttached(driver)
    await driver[Symbol.asyncDispose]()
    await lab.untilDetached(driver)
  },
  async 'remove description'(lab) {
    const described = await lab.driver()
    await lab.untilAttached(described)
    await described[Symbol.asyncDispose]()
    await lab.untilAttached(await lab.driver({ description: undefined }))
    expect(await lab.isDescribed()).toBe(false)
  },
  async 'settle calibrations'(lab) {
    const run = newId(Date.now())
    const busy = await lab.other('calibrate', { hello: () => ({ own_run: run }) })
    await lab.untilAttached(busy)
    expect(await lab.isCalibrating()).toBe(true)
  },
  async 'requeue abandoned jobs'(lab) {
    // The first process of the driver takes the job and ends without it.
    const taken = Promise.withResolvers<void>()
    const first = await lab.driver({
      onCommand({ type }) {
        if (type === 'RunJob') taken.resolve()
      },
    })
    await lab.untilAttached(first)
    const job = await lab.submit()
    await taken.promise
    await first[Symbol.asyncDispose]()
    await lab.untilCompleted(await lab.driver({ onCommand: finish }), job)
  },
  'mark job started': (lab) =>
    lab.job({
      onCommand(command, driver) {
        if (command.type === 'RunJob')
          driver.send('JobStarted', { job: command.job, attempt: command.attempt })
        finish(command, driver)
      },
    }),
  'put job back': (lab) => lab.job({ onCommand: refuseFirst() }),
  'finish job': (lab) => lab.job({ onCommand: finish }),
  async 'audit foreign result'(lab) {
    await lab.job({ onCommand: finish })
    const other = await lab.test.createQpu('south')
    const [job] = await lab.test.db.read((tx) => tx.all<{ id: string }>('SELECT id FROM quantum_jobs'))
    await using forger = await ScriptedDriver.start(lab.test, { id: other.driver, token: other.token })
    await lab.untilAttached(forger)
    finish(
      { type: 'RunJob', job: job?.id ?? '', attempt: 1, epoch: 1, limit_ms: 0, payload: {} as never },
      forger,
    )
    await until('the forgery is in the audit log', () =>
      lab.test.db.read((tx) => tx.one("SELECT 1 AS found FROM audit_log WHERE act = 'result.foreign'")),
    )
  },
  'confirm calibration': (lab) =>
    lab.calibration({
      onCommand(command, driver) {
        if (command.type === 'RunCalibration') driver.send('CalibrationStarted', { run_id: command.run_id })
        finish(command, driver)
      },
    }),
  'note calibration progress': (lab) =>
    lab.calibration({
      onCommand(command, driver) {
        if (command.type === 'RunCalibration') {
          const { run_id, request_id } = command
          driver.send('CalibrationProgress', {
            run_id,
            request_id,
            phase: 'plan',
            step: 0,
            total: 1,
            plan: [],
          })
        }
        finish(command, driver)
      },
    }),
  'put calibration back': (lab) => lab.calibration({ onCommand: refuseFirst() }),
  'store report': (lab) => lab.calibration({ onCommand: finish }),
  async 'begin own run'(lab) {
    const run = newId(Date.now())
    let hasBegun = false
    const tuner = await lab.other('calibrate', { hello: () => (hasBegun ? { own_run: run } : {}) })
    await lab.untilAttached(tuner)
    hasBegun = true
    tuner.send('CalibrationStarted', { run_id: run, request_id: null, mode: 'fidelity_check' })
    await until('the QPU is calibrating', () => lab.isCalibrating())
    await lab.untilAttached(tuner)
  },
  async 'log event'(lab) {
    const monitor = await lab.other('monitor')
    await lab.untilAttached(monitor)
    // One commit may store several readings.
    const stored = () => lab.test.db.read((tx) => tx.one('SELECT 1 AS found FROM events') !== undefined)
    await until(
      'a reading is stored',
      async () => {
        if (await stored()) return true
        const reading = { value: 0.01, unit: 'K', status: 'SYNCHRONIZED' }
        monitor.send('CryostatReading', { readings: { mixing_chamber: reading } })
        return undefined
      },
      { intervalMs: 50 },
    )
    await lab.untilAttached(monitor)
  },
}

/** The intents that the code of a driver's session writes. */
function intentsOfSessions(): string[] {
  const src = join(import.meta.dir, '../../../src')
  const parts = [
    'server/drivers/**/*.ts',
    'server/events/{handlers,log}.ts',
    'server/calibration/{track-run,report}.ts',
    'server/qpus/describe.ts',
    'server/jobs/attempts/{finish,requeue-abandoned}.ts',
    'db/store/qpus/leases.ts',
  ]
  const files = parts.flatMap((part) => [...new Glob(part).scanSync({ cwd: src })])
  const texts = files.map((file) => readFileSync(join(src, file), 'utf8'))
  const named = /\.write\('([^']+)'/g
  return texts.flatMap((text) => [...text.matchAll(named)].map(([, intent = '']) => intent))
}

test('each write of a session has a row', () => {
  // The start of the server frees the leases and resumes the sessions of QPUs; it has tests of its own. A
  // silence that is not stored is only not shown: the end of the session follows from the socket.
  const others = ['reset leases', 'resume sessions', 'record silence']
  const written = new Set(intentsOfSessions().filter((intent) => !others.includes(intent)))
  expect(Object.keys(ROWS).sort()).toEqual([...written].sort())
})

test('each event that the server acts on is sent again, is superseded, or ends the session when it cannot be applied', () => {
  const acted = EVENTS.filter(({ log, acknowledged, required }) => !log && !acknowledged && !required)
  // What of `JobProgress` is lost, the results at the end of the job have.
  const types: string[] = acted.map(({ type }) => type).sort()
  expect(types).toEqual(['CalibrationProgress', 'JobHeartbeat', 'JobProgress', 'JobStarted'])
})

const CASES = combinations(Object.entries(ROWS), Object.entries(FAULTS))

test.each(CASES.map(([[intent, act], [fault, code]]) => ({ fault, intent, act, code })))(
  'with $fault at "$intent" the session is whole in the end',
  async ({ intent, act, code }) => {
    await using lab = await Lab.open(intent, code)
    await act(lab)
    expect(lab.written).toContain(intent)
    expect(lab.failed).toBeGreaterThan(0)
  },
)
