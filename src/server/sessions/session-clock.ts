import { AppError, Loop, MINUTE_MS } from '../../base/index.ts'
import type { ReadTx, Tx } from '../../db/index.ts'
import {
  advanceSessions,
  cancelJobsOfEndedHolders,
  endDoneHolders,
  hasDoneHolders,
  hasJobsOfEndedHolders,
  OrderReading,
  queueReads,
  settleSessions,
} from '../../db/store/jobs/index.ts'
import { resumeSessions } from '../../db/store/sessions/index.ts'
import type { Config } from '../config/settings.ts'
import type { ServerContext } from '../context.ts'
import { wakeOnChanges } from '../wake-on-changes.ts'

/** How often open sessions are looked at: one that is due ends or pauses no later than that. */
const CHECK_MS = 500

interface SessionClockDependencies extends Pick<ServerContext, 'db' | 'order' | 'clock' | 'log'> {
  config: Pick<Config, 'sessionRate'>
}

/** Brings sessions up to date when their time comes: the dispatcher does it only before it chooses a job. */
export class SessionClock {
  readonly #dependencies: SessionClockDependencies
  readonly loop: Loop
  /** A session, or a job of an ended one, as far as is known. */
  #hasOpen = true
  #resumed: Promise<void> | undefined

  constructor(dependencies: SessionClockDependencies) {
    this.#dependencies = dependencies
    const { clock, log, db } = dependencies
    this.loop = new Loop({
      name: 'sessions',
      summary: 'Activate, pause, charge and end sessions',
      clock,
      log,
      intervalMs: () => (this.#hasOpen ? CHECK_MS : MINUTE_MS),
      // It reads first, and reads what is committed: before that it would see nothing, and rest for a minute.
      wakeOnChanges: wakeOnChanges(
        { upcoming: db.changes },
        'sessions',
        'time_slots',
        'qpus',
        'calibration_requests',
      ),
      runOnce: () => this.runOnce(),
    })
  }

  /** Goes on with the sessions of the previous run of the server; nobody changes one before. */
  async start(): Promise<void> {
    await this.#resume().catch((error: unknown) => {
      // The loop tries again until the disk accepts it.
      if (!(error instanceof AppError) || error.code !== 'storage_full') throw error
    })
    this.loop.start()
  }

  /** The stop of the server is not charged. */
  #resume(): Promise<void> {
    this.#resumed ??= this.#dependencies.db
      .write('resume sessions', resumeSessions)
      .catch((error: unknown) => {
        this.#resumed = undefined
        throw error
      })
    return this.#resumed
  }

  /** Brings every open session up to date. */
  async runOnce(): Promise<void> {
    const { db, config } = this.#dependencies
    await this.#resume()
    const due = await db.read((tx) => this.#findDue(tx))
    if (due.qpus.length > 0) await db.write('settle sessions', (tx) => this.#settle(tx, due.qpus))
    if (due.hasDone) await db.write('end holders', (tx) => endDoneHolders(tx, config.sessionRate))
    let { hasJobs } = due
    while (hasJobs) hasJobs = await db.write('cancel jobs of sessions', cancelJobsOfEndedHolders)
  }

  #findDue(tx: ReadTx): { qpus: string[]; hasJobs: boolean; hasDone: boolean } {
    const { order, config } = this.#dependencies
    const qpus = [...order.sessions.qpus(tx)]
    const had = this.#hasOpen
    this.#hasOpen = qpus.length > 0
    if (!had && !this.#hasOpen) return { qpus: [], hasJobs: false, hasDone: false }
    const reading = new OrderReading(order, tx, tx.read(queueReads()))
    const due = qpus.filter((id) => {
      const qpu = order.qpus.get(tx, id)
      return (
        qpu && advanceSessions(reading, qpu, order.sessions.of(tx, id), config.sessionRate).changed.length > 0
      )
    })
    const hasJobs = hasJobsOfEndedHolders(tx)
    // If they cannot be cancelled now, it has to look again soon.
    this.#hasOpen ||= hasJobs
    return { qpus: due, hasJobs, hasDone: hasDoneHolders(tx) }
  }

  #settle(tx: Tx, qpus: readonly string[]): void {
    const { order, config } = this.#dependencies
    const reading = new OrderReading(order, tx, tx.read(queueReads()))
    for (const id of qpus) {
      const qpu = order.qpus.get(tx, id)
      if (qpu) settleSessions(tx, reading, qpu, config.sessionRate)
    }
  }
}
