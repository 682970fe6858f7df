import { type Clock, formatDuration, type Log, Loop } from '../../base/index.ts'
import {
  ANSWERS_KEPT_MS,
  type Database,
  type PruneStep,
  pruneCalibrationRequests,
  pruneCalibrationResults,
  pruneEvents,
  pruneIdempotencyKeys,
  stripCalibrationResult,
} from '../../db/index.ts'
import type { LiveConfig } from '../live-config.ts'

/** Between two steps, so that others write and the event loop runs. */
const PAUSE_MS = 20
/** The wall clock may leave the monotonic one by this much between two ticks; beyond, somebody has set it. */
const JUMP_MS = 24 * 3_600_000

type Retention = keyof typeof STEPS

/** What is removed by the age in each setting, in this order: no report is stripped that is to go. */
const STEPS = {
  eventsRetention: pruneEvents,
  calibrationRequestRetention: pruneCalibrationRequests,
  calibrationResultRetention: pruneCalibrationResults,
  calibrationFitRetention: stripCalibrationResult,
} satisfies Partial<Record<keyof LiveConfig['current'], PruneStep>>

const RETENTIONS = Object.keys(STEPS) as Retention[]

interface PrunerParts {
  db: Pick<Database, 'write'>
  clock: Clock
  log: Log
  live: Pick<LiveConfig, 'current' | 'subscribe'>
}

/**
 * Removes what is older than the retention settings, in small transactions. Its loop runs while one of them is
 * not 0, also when that comes about by a reload.
 */
export class Pruner {
  readonly #parts: PrunerParts
  readonly #loop: Loop
  readonly #stop = new AbortController()
  #following: Promise<void> = Promise.resolve()
  #unsubscribe: () => void = () => undefined
  /** Both clocks at the last tick. */
  #last: { wall: number; monotonic: number } | undefined

  constructor(parts: PrunerParts) {
    this.#parts = parts
    this.#loop = new Loop({
      name: 'pruning',
      clock: parts.clock,
      log: parts.log,
      intervalMs: () => parts.live.current.eventsPruneInterval,
      runOnce: () => this.pruneOnce(),
    })
  }

  start(): void {
    this.#unsubscribe = this.#parts.live.subscribe(() => this.#follow())
    this.#follow()
  }

  /** Ends after the transaction under way; what is left is removed after the next start. */
  async stop(): Promise<void> {
    this.#unsubscribe()
    this.#stop.abort()
    await this.#following
    await this.#loop.stop()
  }

  /** Starts or stops the loop as the settings say, one after the other. */
  #follow(): void {
    this.#following = this.#following.then(async () => {
      if (this.#stop.signal.aborted) return
      if (RETENTIONS.some((setting) => this.#parts.live.current[setting] > 0)) this.#loop.start()
      else await this.#loop.stop()
    })
  }

  /** Removes all that is too old now, unless the wall clock was set since the last time. */
  async pruneOnce(): Promise<void> {
    const { live, log } = this.#parts
    if (this.#clockWasSet()) return
    const { current } = live
    const counts: Record<Retention, number> = {
      eventsRetention: 0,
      calibrationRequestRetention: 0,
      calibrationResultRetention: 0,
      calibrationFitRetention: 0,
    }
    try {
      for (const setting of RETENTIONS) {
        if (current[setting] === 0) continue
        await this.#drain(STEPS[setting], current[setting], (rows) => {
          counts[setting] += rows
        })
      }
      await this.#drain(pruneIdempotencyKeys, ANSWERS_KEPT_MS, () => undefined)
    } finally {
      if (counts.eventsRetention > 0) log.info(`pruned ${counts.eventsRetention} expired events`)
      const calibrations = nonZero({
        requests: counts.calibrationRequestRetention,
        reports: counts.calibrationResultRetention,
        stripped: counts.calibrationFitRetention,
      })
      if (calibrations) log.info('pruned calibration data', calibrations)
    }
  }

  /** Repeats `step` until it finds nothing older than `ageMs`. */
  async #drain(step: PruneStep, ageMs: number, count: (rows: number) => void): Promise<void> {
    const { db, clock } = this.#parts
    const { signal } = this.#stop
    const before = Math.max(0, clock.now() - ageMs)
    while (!signal.aborted) {
      const rows = await db.write('prune', (tx) => step(tx, before))
      if (rows === 0) return
      count(rows)
      await clock.sleep(PAUSE_MS, signal).catch(() => undefined)
    }
  }

  #clockWasSet(): boolean {
    const { clock, log } = this.#parts
    const now = { wall: clock.now(), monotonic: clock.monotonic() }
    const last = this.#last ?? now
    this.#last = now
    const jumpMs = now.wall - last.wall - (now.monotonic - last.monotonic)
    if (Math.abs(jumpMs) <= JUMP_MS) return false
    const jump = `${jumpMs > 0 ? '' : '-'}${formatDuration(Math.abs(Math.round(jumpMs / 1_000)) * 1_000)}`
    log.warn('the clock was set by more than a day, pruning waits for the next time', { jump })
    return true
  }
}

function nonZero(counts: Record<string, number>): Record<string, number> | undefined {
  const found = Object.entries(counts).filter(([, count]) => count > 0)
  return found.length > 0 ? Object.fromEntries(found) : undefined
}
