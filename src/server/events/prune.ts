import { type Clock, DAY_MS, formatDuration, type Log, Loop, TimeSlice } from '../../base/index.ts'
import { type Database, WRITE_SLICE_MS } from '../../db/index.ts'
import { RESPONSE_TTL_MS } from '../../db/store/jobs/index.ts'
import {
  CANCELLED_PAYLOAD_MS,
  createCancelledPayloadStep,
  type PruneStep,
  pruneCalibrationRequests,
  pruneCalibrationResults,
  pruneClosedTimes,
  pruneEvents,
  pruneIdempotencyKeys,
  pruneJobs,
  pruneReadings,
  pruneSessions,
  recordPruning,
  stripCalibrationResult,
} from '../../db/store/maintenance/index.ts'
import type { LiveConfig } from '../config/live-config.ts'

/** Pause between two steps, for other writers and the event loop. */
const PAUSE_MS = 20
/** Rows that one step removes. */
const ROWS = 50
/**
 * Largest difference of the wall clock and the monotonic clock between two runs; beyond it, the clock was
 * set.
 */
const JUMP_MS = DAY_MS

type Retention = keyof typeof STEPS

/** What the retention settings remove, in this order; reports are stripped last. */
const STEPS = {
  jobsRetention: pruneJobs,
  eventsRetention: pruneEvents,
  calibrationRequestRetention: pruneCalibrationRequests,
  calibrationResultRetention: pruneCalibrationResults,
} satisfies Partial<Record<keyof LiveConfig['current'], PruneStep>>

const RETENTIONS = Object.keys(STEPS) as Retention[]

interface PrunerDependencies {
  db: Pick<Database, 'read' | 'write' | 'readApart' | 'dialect'>
  clock: Clock
  log: Log
  live: Pick<LiveConfig, 'current' | 'subscribe'>
}

/**
 * Removes rows that are older than the retention settings, in small transactions; readings, times without
 * jobs and ended sessions are removed with events. Responses to keyed requests and the programs of cancelled
 * jobs have fixed ages. A reload causes a run.
 */
export class Pruner {
  readonly #dependencies: PrunerDependencies
  readonly loop: Loop
  /** Both clocks at the last run. */
  #last: { wall: number; monotonic: number } | undefined

  constructor(dependencies: PrunerDependencies) {
    this.#dependencies = dependencies
    this.loop = new Loop({
      name: 'pruning',
      summary: 'Delete what is older than the retention settings',
      clock: dependencies.clock,
      log: dependencies.log,
      intervalMs: () => dependencies.live.current.eventsPruneInterval,
      wakeOnChanges: (wake) => dependencies.live.subscribe(wake),
      runOnce: (signal) => this.pruneOnce(signal),
    })
  }

  /**
   * Removes every row that is too old now, unless the wall clock was set since the last run. Those that are
   * left when `signal` ends it after a transaction are removed after the next start.
   */
  async pruneOnce(signal: AbortSignal): Promise<void> {
    const { live, log } = this.#dependencies
    if (await this.#clockWasSet()) return
    const { current } = live
    const counts: Record<Retention, number> = {
      jobsRetention: 0,
      eventsRetention: 0,
      calibrationRequestRetention: 0,
      calibrationResultRetention: 0,
    }
    let stripped = 0
    try {
      for (const setting of RETENTIONS) {
        if (current[setting] === 0) continue
        await this.#repeat(signal, STEPS[setting], current[setting], (rows) => {
          counts[setting] += rows
        })
      }
      if (current.calibrationFitRetention > 0) {
        await this.#untilDone(signal, current.calibrationFitRetention, async (before) => {
          const reports = await stripCalibrationResult(this.#dependencies.db, before)
          stripped += reports
          return reports
        })
      }
      if (current.eventsRetention > 0) {
        for (const step of [pruneReadings, pruneClosedTimes, pruneSessions]) {
          await this.#repeat(signal, step, current.eventsRetention)
        }
      }
      await this.#repeat(signal, pruneIdempotencyKeys, RESPONSE_TTL_MS)
      await this.#repeat(signal, createCancelledPayloadStep(), CANCELLED_PAYLOAD_MS)
    } finally {
      if (counts.jobsRetention > 0) log.info(`pruned ${counts.jobsRetention} ended jobs`)
      if (counts.eventsRetention > 0) log.info(`pruned ${counts.eventsRetention} expired events`)
      const calibrations = nonZero({
        requests: counts.calibrationRequestRetention,
        reports: counts.calibrationResultRetention,
        stripped,
      })
      if (calibrations) log.info('pruned calibration data', calibrations)
    }
  }

  /** Repeats `step` in transactions of its own until it finds nothing older than `ageMs`. */
  #repeat(
    signal: AbortSignal,
    step: PruneStep,
    ageMs: number,
    count: (rows: number) => void = () => undefined,
  ): Promise<void> {
    const { db, clock } = this.#dependencies
    const slice = new TimeSlice(clock, WRITE_SLICE_MS)
    return this.#untilDone(signal, ageMs, async (before) => {
      const removed = await db.write('prune', (tx) => {
        let sum = 0
        slice.fill(() => {
          const rows = step(tx, before, ROWS)
          sum += rows
          return rows === 0
        })
        return sum
      })
      count(removed)
      return removed
    })
  }

  /** Repeats `step`, which gets ms since the epoch, until it returns 0. */
  async #untilDone(
    signal: AbortSignal,
    ageMs: number,
    step: (before: number) => Promise<number>,
  ): Promise<void> {
    const { clock } = this.#dependencies
    const before = Math.max(0, clock.now() - ageMs)
    while (!signal.aborted) {
      if ((await step(before)) === 0) return
      await clock.sleep(PAUSE_MS, signal).catch(() => undefined)
    }
  }

  /** The first run after a start compares with the last run of the previous process. */
  async #clockWasSet(): Promise<boolean> {
    const { db, clock, log } = this.#dependencies
    const before = await db.write('note pruning', (tx) => recordPruning(tx))
    const now = { wall: clock.now(), monotonic: clock.monotonic() }
    const last = this.#last
    this.#last = now
    if (last) {
      const jumpMs = now.wall - last.wall - (now.monotonic - last.monotonic)
      if (Math.abs(jumpMs) <= JUMP_MS) return false
      const jump = signed(jumpMs)
      log.warn('the clock was set by more than a day, pruning waits for the next interval', { jump })
      return true
    }
    const awayMs = now.wall - (before ?? now.wall)
    if (Math.abs(awayMs) <= JUMP_MS) return false
    // The machine was off for long, or its clock is wrong: the warning leaves time to correct it.
    const away = signed(awayMs)
    log.warn('the last pruning is more than a day away, pruning waits for the next interval', { away })
    return true
  }
}

/** A difference of clocks in whole seconds: `-960h`. */
function signed(ms: number): string {
  return `${ms > 0 ? '' : '-'}${formatDuration(Math.abs(Math.round(ms / 1_000)) * 1_000)}`
}

function nonZero(counts: Record<string, number>): Record<string, number> | undefined {
  const found = Object.entries(counts).filter(([, count]) => count > 0)
  return found.length > 0 ? Object.fromEntries(found) : undefined
}
