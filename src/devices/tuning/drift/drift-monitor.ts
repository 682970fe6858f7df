import type { Clock, Log } from '../../../base/index.ts'
import type { TunerIo } from '../../define-device.ts'
import { type DriftedTarget, type DriftLimits, driftedTargets } from './decide-drift.ts'

interface DriftMonitorOptions {
  readonly clock: Clock
  readonly log: Log
  readonly intervalS: number
  readonly limits: DriftLimits
  /** Between 0 and 1, for the jitter of the first check. */
  random(): number
}

/** Jitter of the first check, in both directions, so that the tuners of a site do not start together. */
const JITTER = 0.1
/** Recalibrations of a drifted target in one check. */
const ROUNDS = 2
/** Checks during which a target that could not be improved is not calibrated automatically. */
const PAUSED_CHECKS = 6

/**
 * Checks the fidelities of a chip on a schedule and recalibrates what has drifted.
 *
 * | Target | Becomes | When |
 * |---|---|---|
 * | good | drifted | a check finds a fidelity, a T1, a frequency or a readout beyond its limit, or a routine fails |
 * | drifted | good | a check after a partial calibration finds it within, after two rounds at most |
 * | drifted | degraded | it does not; an event is sent, and six checks pass it over |
 * | degraded | drifted | the seventh check still finds it beyond |
 *
 * A check is skipped in maintenance and while a calibration runs; skipped checks are not made up for.
 */
export class DriftMonitor {
  readonly #options: DriftMonitorOptions
  #inMaintenance = false
  /** Checks to pass over, by degraded target. */
  readonly #paused = new Map<string, number>()

  constructor(options: DriftMonitorOptions) {
    this.#options = options
  }

  maintenance(on: boolean): void {
    this.#inMaintenance = on
  }

  /** Checks until the driver stops. */
  async run(io: Pick<TunerIo, 'signal' | 'calibrateNow' | 'emit'>): Promise<void> {
    const { clock, intervalS, random } = this.#options
    let nextMs = intervalS * 1_000 * (1 + JITTER * (2 * random() - 1))
    while (!io.signal.aborted) {
      const isStopped = await clock.sleep(nextMs, io.signal).then(
        () => false,
        () => true,
      )
      if (isStopped) return
      const start = clock.monotonic()
      await this.#checkOnce(io)
      // A check that takes longer than the interval is followed by a pause of one interval, not by a backlog.
      const spent = clock.monotonic() - start
      const intervalMs = intervalS * 1_000
      nextMs = spent < intervalMs ? intervalMs - spent : intervalMs
    }
  }

  async #checkOnce(io: Pick<TunerIo, 'signal' | 'calibrateNow' | 'emit'>): Promise<void> {
    const { log } = this.#options
    if (this.#inMaintenance) {
      log.info('drift check skipped: maintenance')
      return
    }
    const findings = await io.calibrateNow({ mode: 'fidelity_check' })
    if (!findings) {
      log.info('drift check skipped: a calibration is running')
      return
    }
    const drifted = this.#passOver(driftedTargets(findings, this.#options.limits))
    const remaining = await this.#recalibrate(drifted, io)
    for (const each of remaining) this.#degrade(each, io)
  }

  /** The drifted targets without those that are paused; a target that is good again is not paused anymore. */
  #passOver(drifted: readonly DriftedTarget[]): DriftedTarget[] {
    const names = new Set(drifted.map(({ target }) => target))
    for (const [target, left] of this.#paused) {
      if (left === 0 || !names.has(target)) this.#paused.delete(target)
      else this.#paused.set(target, left - 1)
    }
    return drifted.filter(({ target }) => !this.#paused.has(target))
  }

  /** Returns the targets that stay beyond their limits; none when another calibration came in between. */
  async #recalibrate(
    drifted: readonly DriftedTarget[],
    io: Pick<TunerIo, 'calibrateNow' | 'signal'>,
  ): Promise<readonly DriftedTarget[]> {
    const { log, limits } = this.#options
    let remaining = drifted
    for (let round = 1; round <= ROUNDS && remaining.length > 0; round++) {
      if (this.#inMaintenance || io.signal.aborted) return []
      const targetQubits = remaining.map(({ target }) => target)
      const found = remaining.map(({ target, reason }) => `${target}: ${reason}`)
      log.warn('drift was found; calibrating again', { targets: targetQubits, found, round })
      if (!(await io.calibrateNow({ mode: 'partial', targetQubits }))) return []
      const again = await io.calibrateNow({ mode: 'fidelity_check', targetQubits })
      if (!again) return []
      remaining = driftedTargets(again, limits).filter(({ target }) => targetQubits.includes(target))
    }
    return remaining
  }

  #degrade({ target, fidelity, threshold, reason }: DriftedTarget, io: Pick<TunerIo, 'emit'>): void {
    const { log, intervalS } = this.#options
    this.#paused.set(target, PAUSED_CHECKS)
    const paused_s = PAUSED_CHECKS * intervalS
    log.warn('target is degraded: calibrations do not improve it', { target, reason, paused_s })
    io.emit('TargetDegraded', { target, fidelity: fidelity ?? null, threshold, paused_s })
  }
}
