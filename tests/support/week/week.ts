import { AppError, toTimestamp } from '../../../src/base/index.ts'
import { checkInvariants, type Finding } from '../../../src/db/index.ts'
import { readRecording } from '../../../src/db/recording/index.ts'
import { postLedger, type User } from '../../../src/db/store/accounts/index.ts'
import { timeSlots } from '../../../src/db/store/bookings/index.ts'
import { cancelJob } from '../../../src/db/store/jobs/index.ts'
import { type Qpu, setMaintenance, setQpuEnabled } from '../../../src/db/store/qpus/index.ts'
import type { DriverHub, OutgoingCommand } from '../../../src/server/driver-hub.ts'
import { DispatchBackoff } from '../../../src/server/drivers/dispatch-backoff.ts'
import { createEventHandler } from '../../../src/server/events/handlers.ts'
import { Heartbeats } from '../../../src/server/jobs/attempts/heartbeats.ts'
import { JobRecovery } from '../../../src/server/jobs/attempts/recover.ts'
import { JobDispatcher } from '../../../src/server/jobs/dispatch/dispatcher.ts'
import { resolveTarget } from '../../../src/server/jobs/judgement/target.ts'
import { asRecorded, type Figures, PolicyComparison } from '../../../src/server/simulate/policy-comparison.ts'
import { insertNow, JobLab, PAYLOAD } from '../server/job-lab.ts'
import { ScriptedDriver } from './driver.ts'
import { Random, Stage } from './stage.ts'

/** How much is simulated. */
export interface WeekOptions {
  seed: number
  days: number
  jobs: number
  qpus?: number
  users?: number
  /** Called for each simulated hour. */
  onHour?: (hour: number) => void
}

/** The outcome of a simulation. */
export interface WeekReport {
  figures: Figures
  longestWaitMs: number
  /** Jobs by state at the end. */
  states: Record<string, number>
  /** How often each fault happened to a dispatched job. */
  fates: Record<string, number>
  refusedSubmissions: number
  cancelled: number
  /** Number of checks of the invariants. */
  checks: number
}

const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS
const SLOTS_A_DAY = 4
const SESSION_JOBS = 10
/** Longer than the idle threshold and every back-off: after that only a change can let a job run. */
const MAX_PAUSE_MS = 70_000

/**
 * Runs an installation for days of virtual time: the real store, dispatcher, recovery and event handlers,
 * with scripted drivers behind the hub. After each change the invariants of running work are checked; all
 * invariants are checked every six hours and at the end, when all jobs have ended.
 * @throws Error with the seed if an invariant is violated or a job never ends.
 */
export async function simulateWeek(options: WeekOptions): Promise<WeekReport> {
  const lab = await JobLab.open()
  const week = new Week(lab, options)
  try {
    return await week.run()
  } catch (cause) {
    throw new Error(`simulated week with seed ${options.seed} failed: ${String(cause)}`, { cause })
  } finally {
    await lab[Symbol.asyncDispose]()
  }
}

class Week {
  readonly #lab: JobLab
  readonly #options: WeekOptions
  readonly #stage: Stage
  readonly #random: Random
  readonly #drivers = new Map<string, ScriptedDriver>()
  readonly #dispatcher: JobDispatcher
  readonly #recovery: JobRecovery
  readonly #handle: ReturnType<typeof createEventHandler>
  readonly #end: number
  /** Users who wait for the end of a job before they submit the next one. */
  readonly #sessions = new Map<string, () => void>()
  readonly #report: Omit<WeekReport, 'figures' | 'longestWaitMs' | 'states'>
  #users: User[] = []
  #qpus: Qpu[] = []
  #hasChanged = true
  #changedAt = 0
  /** Runs the dispatcher at its poll interval. */
  #isPolling = false
  #willPoll = false
  #acts = 0

  constructor(lab: JobLab, options: WeekOptions) {
    this.#lab = lab
    this.#options = options
    this.#random = new Random(options.seed)
    this.#stage = new Stage(lab.clock, this.#random)
    this.#end = lab.clock.now() + options.days * DAY_MS
    this.#report = { fates: {}, refusedSubmissions: 0, cancelled: 0, checks: 0 }
    const hub: DriverHub = {
      send: (driver, command) => this.#send(driver, command),
      attachedEpoch: (driver) => this.#drivers.get(driver)?.epoch,
      isReceiving: () => false,
      disconnect: (driver) => this.#drop(driver),
    }
    const heartbeats = new Heartbeats(lab.clock, lab.config.jobTimeout)
    const backoff = new DispatchBackoff(lab.clock)
    const parts = { ...lab.dependencies(), hub, heartbeats, backoff }
    this.#dispatcher = new JobDispatcher(parts)
    this.#recovery = new JobRecovery(parts)
    this.#handle = createEventHandler({ context: parts, heartbeats, backoff })
    lab.db.changes.subscribe(() => {
      this.#hasChanged = true
    })
  }

  async run(): Promise<WeekReport> {
    await this.#open()
    this.#plan()
    while (await this.#stage.step()) {
      if (!this.#isPolling && !this.#hasChanged) continue
      this.#isPolling = false
      await this.#dispatcher.dispatchOnce()
      if (this.#hasChanged) {
        await this.#check(true)
        this.#changedAt = this.#lab.clock.now()
        this.#hasChanged = false
      }
      await this.#pollLater()
    }
    await this.#check(false)
    const recording = readRecording(this.#lab.place)
    const played = asRecorded(recording)
    return {
      ...this.#report,
      figures: new PolicyComparison(recording).measure(played),
      longestWaitMs: played.waitsMs.reduce((longest, wait) => (wait > longest ? wait : longest), 0),
      states: await this.#states(),
    }
  }

  async #open(): Promise<void> {
    const { qpus = 10, users = 200 } = this.#options
    for (let count = 0; count < qpus; count += 1) {
      const { driver, ...qpu } = await this.#lab.qpu({ numQubits: 5 })
      const parts = {
        driver,
        lab: this.#lab,
        stage: this.#stage,
        handle: this.#handle,
        fates: this.#report.fates,
      }
      const scripted = new ScriptedDriver(parts)
      this.#qpus.push(qpu)
      this.#drivers.set(driver.id, scripted)
      await scripted.attach()
    }
    for (let count = 0; count < users; count += 1) {
      this.#users.push(await this.#lab.user(this.#random.between(100, 1_000)))
    }
  }

  #plan(): void {
    const { days, jobs } = this.#options
    const start = this.#lab.clock.now()
    let planned = 0
    for (let day = 0; day < days; day += 1) {
      for (const qpu of this.#qpus) {
        this.#planQpu(qpu, start + day * DAY_MS)
        planned += SLOTS_A_DAY * SESSION_JOBS
      }
    }
    while (planned < jobs) {
      const size = Math.min(jobs - planned, this.#random.between(1, 30))
      this.#stage.at(this.#busyTime(start), () => this.#submitBatch(size))
      planned += size
    }
    for (let hour = 1; hour <= days * 24; hour += 1) {
      this.#stage.at(start + hour * HOUR_MS, async () => {
        this.#options.onHour?.(hour)
        await this.#grant()
        if (hour % 6 === 0) await this.#check(false)
      })
    }
    this.#watch()
  }

  /** Most submissions come at midday: the mean of three uniform draws. */
  #busyTime(start: number): number {
    const day = this.#random.between(0, this.#options.days - 1)
    const mean = (this.#random.fraction() + this.#random.fraction() + this.#random.fraction()) / 3
    return start + Math.floor((day + mean) * DAY_MS)
  }

  /** Bookings of one day, a maintenance and a time in which the QPU is switched off. */
  #planQpu(qpu: Qpu, day: number): void {
    for (let slot = 0; slot < SLOTS_A_DAY; slot += 1) {
      const from = day + (1 + slot * 5) * HOUR_MS
      const user = this.#random.pick(this.#users)
      this.#stage.at(from - HOUR_MS, () => this.#book(user, qpu, from))
      const session = { user, qpu: qpu.id, left: SESSION_JOBS, until: from + HOUR_MS }
      this.#stage.at(from + this.#random.between(0, 300_000), () => this.#work(session))
    }
    const [serviced, off] = [this.#random.between(0, DAY_MS), this.#random.between(0, DAY_MS)]
    const setTo = (on: boolean) => () => this.#setMaintenance(qpu, on)
    this.#stage.at(day + serviced, setTo(true))
    this.#stage.at(day + serviced + HOUR_MS / 2, setTo(false))
    this.#stage.at(day + off, () => this.#switch(qpu, false))
    this.#stage.at(day + off + HOUR_MS / 12, () => this.#switch(qpu, true))
  }

  async #book(user: User, qpu: Qpu, from: number): Promise<void> {
    const [start_time, end_time] = [toTimestamp(from), toTimestamp(from + HOUR_MS)]
    const slot = { booked_by: user.id, qpu: qpu.id, start_time, end_time }
    await this.#lab.db.write('book', (tx) => tx.insert(timeSlots, slot))
    // The end of a booking lets jobs run without a change of any row.
    this.#stage.at(from + HOUR_MS, async () => {
      this.#isPolling = true
    })
  }

  /** A booker submits one job after the other, with a pause in between. */
  async #work(session: { user: User; qpu: string; left: number; until: number }): Promise<void> {
    if (session.left === 0 || this.#lab.clock.now() >= session.until) return
    session.left -= 1
    const again = () => this.#stage.later(this.#random.between(500, 4_000), () => this.#work(session))
    const job = await this.#submit(session.user, session.qpu)
    if (job === undefined) this.#stage.later(60_000, () => this.#work(session))
    else this.#sessions.set(job, again)
  }

  async #submitBatch(size: number): Promise<void> {
    const user = this.#random.pick(this.#users)
    const target = this.#random.fraction() < 0.5 ? '' : this.#random.pick(this.#qpus).id
    for (let count = 0; count < size; count += 1) {
      const job = await this.#submit(user, target)
      if (job === undefined || this.#random.fraction() > 0.02) continue
      this.#stage.later(this.#random.between(0, 600_000), () => this.#cancel(job))
    }
  }

  /** Queues a job like the route; undefined if it is refused. */
  async #submit(user: User, qpu: string): Promise<string | undefined> {
    try {
      return await this.#lab.db.write('submit', (tx) => {
        const needs = { qubits: 2, shots: 0, executions: 1, features: 0 }
        const target = resolveTarget(this.#lab.order.qpus.list(tx), qpu, needs)
        if (target instanceof AppError) throw target
        return insertNow(
          tx,
          { user: user.id, qpu: target.id, payload: PAYLOAD, needs: { qubits: 2 } },
          { maxPending: 1_000 },
        ).id
      })
    } catch (error) {
      onlyRefused(error)
      this.#report.refusedSubmissions += 1
      return undefined
    }
  }

  async #cancel(job: string): Promise<void> {
    const done = await this.#lab.db.write('cancel', (tx) => cancelJob(tx, job)).catch(onlyRefused)
    if (done) this.#report.cancelled += 1
  }

  /** A superuser grants QPU time to users without balance. */
  async #grant(): Promise<void> {
    const poor = await this.#lab.db.read((tx) =>
      tx.all<{ id: string }>('SELECT id FROM users WHERE qpu_ms <= 0'),
    )
    for (const { id } of poor) {
      this.#acts += 1
      const sourceId = `act ${this.#acts}`
      await this.#lab.db.write('grant', (tx) =>
        postLedger(tx, { user: id, kind: 'admin', sourceId, deltaMs: 1_000_000 }),
      )
    }
  }

  async #setMaintenance(qpu: Qpu, on: boolean): Promise<void> {
    await setMaintenance(this.#lab.db, 'test', qpu.id, on, on ? 'new pump' : '')
  }

  async #switch(qpu: Qpu, on: boolean): Promise<void> {
    const { drivers } = await setQpuEnabled(this.#lab.db, 'test', qpu.id, on)
    if (!on) for (const { id } of drivers) this.#drop(id)
  }

  #send(driver: string, command: OutgoingCommand): boolean {
    const taken = this.#drivers.get(driver)?.receive(command) ?? false
    if (command.type === 'EventAck') this.#goOn(command.event)
    return taken
  }

  /** The user who waited for the result continues. */
  #goOn(event: string): void {
    const job = event.slice(0, event.lastIndexOf('.'))
    const again = this.#sessions.get(job)
    this.#sessions.delete(job)
    again?.()
  }

  #drop(driver: string): void {
    const dropped = this.#drivers.get(driver)
    this.#stage.later(0, async () => dropped?.detach(this.#random.between(500, 5_000)))
  }

  /** Runs recovery every ten seconds until all jobs have ended. */
  #watch(): void {
    this.#stage.later(this.#lab.config.recoveryInterval, async () => {
      await this.#recovery.recoverOnce()
      if (this.#lab.clock.now() < this.#end || (await this.#hasWork())) this.#watch()
    })
  }

  /** Runs the dispatcher at its poll interval while time alone may let a job run. */
  async #pollLater(): Promise<void> {
    const { clock, config } = this.#lab
    if (this.#willPoll || clock.now() - this.#changedAt > MAX_PAUSE_MS || !(await this.#isWaiting())) return
    this.#willPoll = true
    this.#stage.later(config.dispatchPollInterval, async () => {
      this.#willPoll = false
      this.#isPolling = true
    })
  }

  /** Whether a job waits although a QPU is free. */
  #isWaiting(): Promise<boolean> {
    return this.#lab.db.read(
      (tx) =>
        tx.one(`SELECT 1 FROM quantum_jobs WHERE status = 'pending' LIMIT 1`) !== undefined &&
        (tx.one<{ busy: number }>(`SELECT count(*) AS busy FROM quantum_jobs WHERE status = 'running'`)
          ?.busy ?? 0) < this.#drivers.size,
    )
  }

  async #hasWork(): Promise<boolean> {
    const { pending = 0, running = 0 } = await this.#states()
    if (this.#lab.clock.now() > this.#end + DAY_MS) throw new Error(`${pending + running} jobs never ended`)
    return pending + running > 0
  }

  async #states(): Promise<Record<string, number>> {
    const rows = await this.#lab.db.read((tx) =>
      tx.all<{ status: string; jobs: number }>(
        'SELECT status, count(*) AS jobs FROM quantum_jobs GROUP BY status',
      ),
    )
    return Object.fromEntries(rows.map(({ status, jobs }) => [status, jobs]))
  }

  async #check(fast: boolean): Promise<void> {
    const { maxAttempts } = this.#lab.config
    const findings: Finding[] = await this.#lab.db.read((tx) => checkInvariants(tx, { fast, maxAttempts }))
    this.#report.checks += 1
    if (findings.length === 0) return
    throw new Error(`at ${toTimestamp(this.#lab.clock.now())}: ${JSON.stringify(findings)}`)
  }
}

/** A refusal is a valid response; any other error is a fault of the simulation. */
function onlyRefused(error: unknown): undefined {
  if (!(error instanceof AppError)) throw error
}
