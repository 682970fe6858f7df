import { AppError } from '../../../src/base/index.ts'
import { attachLease, type Driver, releaseLease } from '../../../src/db/store/qpus/index.ts'
import { resultId } from '../../../src/protocol/index.ts'
import type { OutgoingCommand } from '../../../src/server/driver-hub.ts'
import type { EventHandler } from '../../../src/server/drivers/receive.ts'
import { type JobLab, RESULTS } from '../server/job-lab.ts'
import { takeLease } from '../take-lease.ts'
import type { Stage } from './stage.ts'

/** Possible outcomes of a dispatched job, with their frequency per 1,000. */
const SCRIPT = {
  /** The socket accepts nothing. */
  unsent: 2,
  refused: 3,
  /** The driver dies while the job runs; its outbox survives. */
  crash: 10,
  /** No event of the job arrives until the driver ends it long after the heartbeat time-out. */
  hang: 10,
  /** No heartbeat until the result, which arrives after the heartbeat time-out. */
  late: 10,
  deviceError: 10,
  userError: 20,
  /** The result is sent twice. */
  repeated: 20,
} as const
type Fate = keyof typeof SCRIPT | 'ok'

const HEARTBEAT_MS = 5_000
const RECONNECT_MS = 30_000
const HANG_MS = 90_000

interface Run {
  job: string
  attempt: number
  epoch: number
}

/** The driver of one QPU behind the hub: runs the dispatched jobs, at times with the faults of `SCRIPT`. */
export class ScriptedDriver {
  readonly driver: Driver
  /** Epoch under which it is attached. */
  epoch: number | undefined
  readonly #lab: JobLab
  readonly #stage: Stage
  readonly #handle: EventHandler
  readonly #fates: Record<string, number>
  readonly #outbox = new Map<string, object>()
  #running: Run | undefined

  constructor(parts: {
    driver: Driver
    lab: JobLab
    stage: Stage
    handle: EventHandler
    fates: Record<string, number>
  }) {
    this.driver = parts.driver
    this.#lab = parts.lab
    this.#stage = parts.stage
    this.#handle = parts.handle
    this.#fates = parts.fates
  }

  /** Takes a lease and sends its hello; retries later while its QPU is switched off. */
  async attach(): Promise<void> {
    if (this.epoch !== undefined) return
    try {
      const { epoch } = await takeLease(this.#lab.db, this.driver)
      this.epoch = epoch
      await attachLease(this.#lab.db, { driver: this.driver.id, epoch })
    } catch (error) {
      if (!(error instanceof AppError) || error.code !== 'forbidden') throw error
      this.#stage.later(RECONNECT_MS, () => this.attach())
      return
    }
    const running = this.#running ? { job: this.#running.job, attempt: this.#running.attempt } : null
    const hello = {
      version: 'test',
      device: 'mock',
      epoch: this.epoch,
      running,
      outbox: [...this.#outbox.keys()],
    }
    await this.#sendEvent('DriverHello', hello)
    for (const [id, result] of this.#outbox) await this.#sendEvent('JobResult', result, id)
  }

  /** Ends the connection; the driver reconnects after `ms`. */
  async detach(ms: number): Promise<void> {
    const { epoch } = this
    if (epoch === undefined) return
    this.epoch = undefined
    await releaseLease(this.#lab.db, { driver: this.driver.id, epoch })
    this.#stage.later(ms, () => this.attach())
  }

  /** Receives a command of the server; false if the socket does not accept it. */
  receive(command: OutgoingCommand): boolean {
    if (this.epoch === undefined) return false
    if (command.type === 'EventAck') this.#outbox.delete(command.event)
    if (command.type === 'StopJob' && this.#running?.job === command.job) this.#running = undefined
    if (command.type !== 'RunJob') return true
    const { job, attempt, epoch } = command
    const fate = this.#draw()
    if (fate === 'unsent') return false
    this.#stage.later(1, () => this.#begin({ job, attempt, epoch }, fate))
    return true
  }

  #draw(): Fate {
    let left = this.#stage.random.between(1, 1_000)
    let fate: Fate = 'ok'
    for (const [name, share] of Object.entries(SCRIPT) as [keyof typeof SCRIPT, number][]) {
      if (left > 0 && left <= share) fate = name
      left -= share
    }
    this.#fates[fate] = (this.#fates[fate] ?? 0) + 1
    return fate
  }

  async #begin(run: Run, fate: Fate): Promise<void> {
    const { job, attempt } = run
    if (this.#running || fate === 'refused')
      return this.#sendEvent('JobRefused', { job, attempt, reason: 'busy' })
    this.#running = run
    const ms = this.#stage.random.between(2_000, 40_000)
    if (fate === 'crash') {
      this.#stage.later(ms / 2, () => this.#crash(run))
    } else if (fate === 'late') {
      this.#stage.later(25_000 + ms, () => this.#end(run, fate, ms))
    } else if (fate === 'hang') {
      this.#stage.later(HANG_MS, () => this.#end(run, fate, ms))
    } else {
      this.#stage.later(ms, () => this.#end(run, fate, ms))
      this.#beat(run)
    }
    await this.#sendEvent('JobStarted', { job, attempt, epoch: run.epoch })
  }

  #beat(run: Run): void {
    this.#stage.later(HEARTBEAT_MS, async () => {
      if (this.#running !== run) return
      await this.#sendEvent('JobHeartbeat', { job: run.job, attempt: run.attempt, epoch: run.epoch })
      this.#beat(run)
    })
  }

  async #crash(run: Run): Promise<void> {
    if (this.#running !== run) return
    this.#running = undefined
    await this.detach(this.#stage.random.between(5_000, 120_000))
  }

  async #end(run: Run, fate: Fate, ms: number): Promise<void> {
    if (this.#running !== run) return
    this.#running = undefined
    const id = resultId(run.job, run.attempt)
    const failure = { message: 'it broke', class: fate === 'userError' ? 'user' : 'device' }
    const isGood = fate !== 'userError' && fate !== 'deviceError' && fate !== 'hang'
    const end = isGood ? { status: 'completed', results: RESULTS } : { status: 'failed', error: failure }
    const result = { ...run, execution_ms: ms, ...end }
    this.#outbox.set(id, result)
    await this.#sendEvent('JobResult', result, id)
    if (fate === 'repeated') await this.#sendEvent('JobResult', result, id)
  }

  async #sendEvent(
    type: string,
    payload: object,
    id = `${type} at ${this.#stage.clock.now()}`,
  ): Promise<void> {
    if (this.epoch === undefined) return
    const { id: driver, name, qpu, operation } = this.driver
    const ts = new Date(this.#stage.clock.now()).toISOString()
    await this.#handle({ driver, name, qpu, operation, epoch: this.epoch }, { type, id, ts, payload })
  }
}
