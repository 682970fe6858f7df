import { expect } from 'bun:test'
import type { User } from '../../src/db/store/accounts/index.ts'
import { ATTEMPTS } from '../../src/db/store/jobs/attempts.ts'
import { cancelJob, findJob } from '../../src/db/store/jobs/index.ts'
import { type Driver, resetLeases, setDraining } from '../../src/db/store/qpus/index.ts'
import { resultId } from '../../src/protocol/index.ts'
import { DispatchBackoff } from '../../src/server/drivers/dispatch-backoff.ts'
import { createEventHandler } from '../../src/server/events/handlers.ts'
import { Heartbeats } from '../../src/server/jobs/attempts/heartbeats.ts'
import { JobRecovery } from '../../src/server/jobs/attempts/recover.ts'
import { JobDispatcher } from '../../src/server/jobs/dispatch/dispatcher.ts'
import { JobLab } from '../support/server/job-lab.ts'
import { readCharges } from '../support/sums/charges.ts'
import { operateOn } from './operator-actions.ts'
import {
  applyHello,
  CAN_HAPPEN,
  countAttempt,
  type DriverStep,
  EXECUTION_MS,
  finish,
  MAX_ATTEMPTS,
  type ModelDriver,
  type ModelJob,
  newJob,
  requeueUndelivered,
  resultOf,
} from './store-model.ts'
import { NARROW_QPU, type Step } from './store-steps.ts'

const SILENCE_MS = 20_000
const ENDED = new Set(['completed', 'failed', 'cancelled'])

/** The real parts of the server on a real database, compared with a model of their behavior. */
export class StoreMachine {
  readonly lab: JobLab
  readonly #user: User
  readonly #jobs: ModelJob[] = []
  readonly #drivers: ModelDriver[]
  readonly #qpus: string[]
  readonly #draining = new Set<string>()
  #server: ReturnType<StoreMachine['newServer']>

  private constructor(lab: JobLab, user: User, drivers: Driver[]) {
    this.lab = lab
    this.#user = user
    this.#drivers = drivers.map((record) => ({
      record,
      lease: undefined,
      inbox: [],
      running: undefined,
      outbox: [],
    }))
    this.#qpus = [...new Set(drivers.map(({ qpu }) => qpu))]
    this.#server = this.newServer()
  }

  /** Two QPUs, the first with a standby driver. */
  static async open(): Promise<StoreMachine> {
    const lab = await JobLab.open({ maxAttempts: String(MAX_ATTEMPTS) })
    const [one, other] = [await lab.qpu({ numQubits: NARROW_QPU }), await lab.qpu()]
    const drivers = [one.driver, await lab.standby(one), other.driver]
    const machine = new StoreMachine(lab, await lab.user(1_000), drivers)
    for (const at of [0, 1]) await machine.run({ kind: 'attach', at, sendsHello: true })
    return machine
  }

  /** The objects that a start of the server creates. */
  newServer() {
    const heartbeats = new Heartbeats(this.lab.clock, this.lab.config.jobTimeout)
    const backoff = new DispatchBackoff(this.lab.clock)
    const parts = { ...this.lab.dependencies(), heartbeats, backoff }
    return {
      dispatcher: new JobDispatcher(parts),
      recovery: new JobRecovery(parts),
      handle: createEventHandler({ context: this.lab.dependencies(), heartbeats, backoff }),
    }
  }

  /** Applies a step to the server and to the model; an impossible step has no effect. */
  async run(each: Step): Promise<void> {
    switch (each.kind) {
      case 'dispatch':
        return this.#dispatch(each.isFull)
      case 'advance':
        return this.#advance(each.seconds * 1_000)
      case 'restart':
        return this.#restart()
      case 'submit':
        return this.#submit(each.at, each.qubits)
      case 'cancel':
        return this.#cancel(this.#jobs[each.at % Math.max(1, this.#jobs.length)])
      case 'operate':
        if (each.act === 'drain') return this.#drain(this.#qpus[each.at % this.#qpus.length])
        return operateOn(this.lab, this.#jobs, this.#jobs[each.at % Math.max(1, this.#jobs.length)], each.act)
      default:
        return this.#runDriver(each)
    }
  }

  /** Chooses the driver among those to which the step can happen. */
  #choose(each: DriverStep): number | undefined {
    const able = [...this.#drivers.keys()].filter((index) => {
      const driver = this.#drivers[index]
      return driver !== undefined && CAN_HAPPEN[each.kind](driver)
    })
    return able[each.at % Math.max(1, able.length)]
  }

  async #runDriver(each: DriverStep): Promise<void> {
    const index = this.#choose(each)
    const driver = index === undefined ? undefined : this.#drivers[index]
    if (index === undefined || !driver) return
    switch (each.kind) {
      case 'attach':
        await this.#attach(driver)
        return each.sendsHello && driver.lease ? this.#hello(driver, index, true) : undefined
      case 'detach':
        return this.#detach(driver)
      case 'crash':
        driver.running = undefined
        return this.#detach(driver)
      case 'hello':
        return this.#hello(driver, index, each.hasOutbox)
      case 'deliver':
        return this.#deliver(driver, index)
      case 'heartbeat':
        return driver.running && this.#signOfLife('JobHeartbeat', driver, index, driver.running)
      case 'finish':
        return finish(driver, each.outcome)
      case 'result':
        return this.#result(driver, index, each.isAckLost)
      case 'foreign':
        return this.#foreign(driver, index, this.#jobs[each.job % Math.max(1, this.#jobs.length)])
      default:
        throw new TypeError(`no step ${each.kind}`)
    }
  }

  async #submit(number: number, qubits: number): Promise<void> {
    const qpu = ['', ...this.#qpus][number % 3] ?? ''
    const { id } = await this.lab.submit(this.#user, qpu, qubits)
    this.#jobs.push(newJob({ id, qpu, qubits }))
  }

  async #cancel(job: ModelJob | undefined): Promise<void> {
    if (!job) return
    const done = await this.lab.db.write('cancel', (tx) => cancelJob(tx, job.id))
    expect(done !== undefined).toBe(job.status === 'pending')
    if (job.status === 'pending') Object.assign(job, { status: 'cancelled', held: false })
  }

  /** Drains a QPU, or ends draining. */
  async #drain(qpu: string | undefined): Promise<void> {
    if (!qpu) return
    const draining = !this.#draining.delete(qpu)
    if (draining) this.#draining.add(qpu)
    await setDraining(this.lab.db, 'test', qpu, { draining, reason: '' })
  }

  async #dispatch(isFull: boolean): Promise<void> {
    const { hub, clock } = this.lab
    const sentBefore = hub.sent.length
    hub.isFull = isFull
    await this.#server.dispatcher.dispatchOnce()
    hub.isFull = false
    const sent = hub.sent.slice(sentBefore)
    const claimed: { id: string; qpu: string; rank: number }[] = []
    const before = this.#jobs.filter(({ status, held, rank }) => status === 'pending' && !held && rank > 0)
    for (const job of this.#jobs) {
      const stored = await this.lab.job(job.id)
      if (stored.attempt === job.attempt) continue
      expect([job.status, job.held, stored.attempt]).toEqual(['pending', false, job.attempt + 1])
      const claim = await this.#claimOf(job.id, stored.attempt)
      const index = this.#drivers.findIndex(({ record }) => record.id === claim.driver)
      const driver = this.#drivers[index]
      // Only the attached driver of an idle QPU that may run the job may receive it.
      expect(driver?.lease).toEqual({ qpu: claim.qpu, driver: claim.driver, epoch: claim.epoch })
      expect(this.#mayRunOn(job, claim.qpu)).toBe(true)
      expect(this.#draining).not.toContain(claim.qpu)
      claimed.push({ id: job.id, qpu: claim.qpu, rank: job.rank })
      job.attempt += 1
      job.claims.push({ driver: index, epoch: claim.epoch, claimedAt: clock.monotonic() })
      if (job.counted >= MAX_ATTEMPTS) job.status = 'failed'
      if (job.status === 'failed') continue
      expect(this.#jobs.filter(({ open }) => open && this.#qpuOf(open.driver) === claim.qpu)).toEqual([])
      const message = sent.find(({ command }) => command.type === 'RunJob' && command.job === job.id)?.command
      if (message?.type === 'RunJob') {
        expect(message).toMatchObject({ attempt: job.attempt, epoch: claim.epoch })
        driver?.inbox.push(message)
        const open = { driver: index, lastHeartbeatAt: clock.monotonic(), hasStarted: false }
        Object.assign(job, { status: 'running', open })
      } else expect(isFull).toBe(true)
    }
    // No job moved to the front that may run there was skipped.
    for (const { qpu, rank } of claimed) {
      const left = before.filter((job) => !claimed.some(({ id }) => id === job.id))
      for (const job of left) expect(this.#mayRunOn(job, qpu) && job.rank > rank).toBe(false)
    }
  }

  /** A job for this QPU or for any, if it fits. */
  #mayRunOn({ qpu: target, qubits }: ModelJob, qpu: string): boolean {
    const isNarrow = qpu === this.#qpus[0]
    return (target === qpu || target === '') && (!isNarrow || qubits <= NARROW_QPU)
  }

  async #claimOf(job: string, attempt: number) {
    const row = await this.lab.db.read((tx) =>
      tx.one<{ driver: string; qpu: string; epoch: number }>(
        `SELECT driver, qpu, epoch FROM ${ATTEMPTS} AS attempts WHERE job = $job AND attempt = $attempt`,
        { job, attempt },
      ),
    )
    if (!row) throw new Error('a claim without an attempt')
    return row
  }

  #qpuOf(driver: number): string | undefined {
    return this.#drivers[driver]?.record.qpu
  }

  async #attach(driver: ModelDriver): Promise<void> {
    const isTaken = this.#drivers.some(
      ({ lease, record }) =>
        lease !== undefined && record.qpu === driver.record.qpu && record !== driver.record,
    )
    if (isTaken) {
      await expect(this.lab.attach(driver.record)).rejects.toMatchObject({ code: 'conflict' })
      return
    }
    driver.inbox = []
    driver.lease = await this.lab.attach(driver.record)
  }

  async #detach(driver: ModelDriver): Promise<void> {
    if (driver.lease) await this.lab.detach(driver.lease)
    driver.lease = undefined
    driver.inbox = []
  }

  async #restart(): Promise<void> {
    await resetLeases(this.lab.db)
    this.lab.hub.epochs.clear()
    for (const driver of this.#drivers) {
      driver.lease = undefined
      driver.inbox = []
    }
    for (const { open } of this.#jobs) if (open) open.lastHeartbeatAt = undefined
    this.#server = this.newServer()
  }

  async #advance(ms: number): Promise<void> {
    await this.lab.clock.advance(ms)
    await this.#server.recovery.recoverOnce()
    const now = this.lab.clock.monotonic()
    for (const job of this.#jobs) {
      if (!job.open) continue
      job.open.lastHeartbeatAt ??= now
      if (now - job.open.lastHeartbeatAt >= SILENCE_MS) countAttempt(job, { mayDeliver: true })
    }
  }

  async #sendEvent(driver: ModelDriver, type: string, payload: object): Promise<void> {
    const { id, name, qpu, operation } = driver.record
    const source = { driver: id, name, qpu, operation, epoch: driver.lease?.epoch ?? 0 }
    await this.#server.handle(source, { type, id: `${type} event`, ts: '2026-01-31T09:00:00.000Z', payload })
  }

  #find(id: string): ModelJob {
    const job = this.#jobs.find((each) => each.id === id)
    if (!job) throw new Error('a job that was never submitted')
    return job
  }

  async #hello(driver: ModelDriver, index: number, hasOutbox: boolean): Promise<void> {
    const epoch = driver.lease?.epoch ?? 0
    const running = driver.running ?? null
    const outbox = driver.outbox.map(({ job, attempt }) => resultId(job, attempt))
    const hello = { version: '1', device: 'mock', epoch, running, ...(hasOutbox ? { outbox } : {}) }
    await this.#sendEvent(driver, 'DriverHello', hello)
    const now = this.lab.clock.monotonic()
    for (const job of this.#jobs) if (job.open?.driver === index) applyHello(job, driver, { hasOutbox, now })
  }

  async #deliver(driver: ModelDriver, index: number): Promise<void> {
    const message = driver.inbox.shift()
    if (!message) return
    const { job: id, attempt, epoch } = message
    const job = this.#find(id)
    if (driver.running || driver.lease?.epoch !== epoch) {
      await this.#sendEvent(driver, 'JobRefused', { job: id, attempt, reason: 'busy' })
      if (job.open?.driver === index && job.attempt === attempt) {
        requeueUndelivered(job)
      }
      return
    }
    driver.running = { job: id, attempt }
    await this.#signOfLife('JobStarted', driver, index, driver.running)
  }

  async #signOfLife(
    type: 'JobStarted' | 'JobHeartbeat',
    driver: ModelDriver,
    index: number,
    running: { job: string; attempt: number },
  ): Promise<void> {
    await this.#sendEvent(driver, type, running)
    const job = this.#find(running.job)
    const isCurrent = job.open?.driver === index && job.attempt === running.attempt
    if (isCurrent && type === 'JobStarted' && job.open) job.open.hasStarted = true
    // A restarted server tracks an attempt only after recovery has found it.
    if (isCurrent && job.open?.lastHeartbeatAt !== undefined)
      job.open.lastHeartbeatAt = this.lab.clock.monotonic()
  }

  async #result(driver: ModelDriver, index: number, isAckLost: boolean): Promise<void> {
    const entry = driver.outbox[0]
    if (!entry) return
    const job = this.#find(entry.job)
    const applies = this.#applyToModel(job, entry)
    await this.#sendEvent(driver, 'JobResult', resultOf(entry))
    const acks = this.lab.hub.sent.splice(0).filter(({ command }) => command.type === 'EventAck')
    const expected = driver.lease
      ? [{ driver: driver.record.id, command: { type: 'EventAck', applied: applies } }]
      : []
    expect(acks).toMatchObject(expected)
    if (driver.lease && !isAckLost) driver.outbox.shift()
    expect(index).toBe(job.claims[entry.attempt - 1]?.driver ?? -1)
  }

  #applyToModel(job: ModelJob, { attempt, outcome }: ModelDriver['outbox'][number]): boolean {
    if (ENDED.has(job.status) || attempt !== job.attempt || attempt === job.requeuedAttempt) return false
    if (outcome === 'device') {
      if (!job.open) return false
      countAttempt(job)
      return true
    }
    const claimedAt = job.claims[attempt - 1]?.claimedAt ?? 0
    const ms = Math.min(EXECUTION_MS, this.lab.clock.monotonic() - claimedAt)
    job.open = undefined
    job.held = false
    job.status = outcome === 'completed' ? 'completed' : 'failed'
    job.chargedMs = outcome === 'completed' || ms > 0 ? ms : undefined
    return true
  }

  async #foreign(driver: ModelDriver, index: number, job: ModelJob | undefined): Promise<void> {
    const owner = job?.claims.at(-1)?.driver
    if (!job || owner === undefined || owner === index) return
    const dropped = this.lab.hub.disconnected.length
    const result = resultOf({ job: job.id, attempt: job.attempt, outcome: 'completed' })
    await this.#sendEvent(driver, 'JobResult', result)
    expect(this.lab.hub.disconnected.slice(dropped)).toMatchObject([{ driver: driver.record.id }])
  }

  /** Fails unless every job in the database equals its model. */
  async compare(): Promise<void> {
    const ids = this.#jobs.map(({ id }) => id)
    const stored = await this.lab.db.read((tx) => ids.map((id) => findJob(tx, id)))
    const charges = await this.lab.db.read(readCharges)
    const seen = stored.map((job) => [job?.id, job?.status, job?.attempt, job?.held])
    expect(seen).toEqual(this.#jobs.map(({ id, status, attempt, held }) => [id, status, attempt, held]))
    const charged = this.#jobs.filter(({ chargedMs }) => chargedMs !== undefined)
    expect(new Map(charges.map((row) => [row.source_id, 0 - row.delta_ms]))).toEqual(
      new Map(charged.map(({ id, chargedMs = 0 }) => [id, chargedMs])),
    )
    const total = charged.reduce((sum, { chargedMs = 0 }) => sum + chargedMs, 0)
    expect(await this.lab.balance(this.#user)).toBe(1_000_000 - total)
  }

  /** Without further faults, every job must end within a few rounds; one that fits no QPU is cancelled. */
  async heal(): Promise<void> {
    for (const qpu of this.#draining) await this.#drain(qpu)
    for (const job of this.#jobs) if (job.held) await operateOn(this.lab, this.#jobs, job, 'release')
    for (const job of this.#jobs)
      if (!this.#qpus.some((qpu) => this.#mayRunOn(job, qpu))) await this.#cancel(job)
    const isOver = () => this.#jobs.every(({ status }) => ENDED.has(status))
    for (let round = 0; !isOver(); round += 1) {
      if (round > 20 + 5 * this.#jobs.length) throw new Error('a job did not end')
      for (const driver of this.#drivers) await this.#attach(driver)
      await this.#dispatch(false)
      for (const [index, driver] of this.#drivers.entries()) await this.#work(driver, index)
      await this.#advance(SILENCE_MS)
    }
  }

  /** The driver processes everything that it has received and stored. */
  async #work(driver: ModelDriver, index: number): Promise<void> {
    while (driver.inbox.length > 0) await this.#deliver(driver, index)
    finish(driver, 'completed')
    while (driver.lease && driver.outbox.length > 0) await this.#result(driver, index, false)
  }

  close(): Promise<void> {
    return this.lab[Symbol.asyncDispose]()
  }
}
