import { messageOf } from '../../../base/index.ts'
import { type HeldCurrent, RoutineError } from '../routine.ts'

/** Path of the current at which a coupler is parked. */
export const PARKING_PATH = 'bias.parking_current'

/** How the currents of couplers are moved; it keeps a journal of the currents before a run. */
export interface CouplerMover {
  readonly edges: readonly string[]
  /** Largest magnitude of the current of an edge, A. */
  limit(edge: string): number
  /** The present current of an edge, A. */
  read(edge: string): Promise<number>
  /** The same with the flux that other couplers share with it. */
  readEffective(edge: string): Promise<number>
  /** Moves couplers to effective currents, and resolves with the currents then held. */
  park(
    wanted: ReadonlyMap<string, number>,
    move: { run: string; signal?: AbortSignal },
  ): Promise<ReadonlyMap<string, number>>
  /**
   * Brings currents back to those before the run.
   * @throws CalibrationError naming those that are not back.
   */
  restore(edges: readonly string[], how: { isEmergency: boolean }): Promise<void>
  /** The device file is about to get these effective currents of edges. */
  announce(file: string, wanted: ReadonlyMap<string, number>): Promise<void>
  /** The device file now has the present currents of these edges. */
  keep(edges: readonly string[]): void
}

/**
 * The currents of the couplers in a run. A measurement that moves one leaves it as it found it. A current
 * that a routine found is then applied, because the gates of the edge are measured there; at the end of the
 * run it stays when the device file has it, and returns to the value before the run otherwise.
 *
 * Currents here are effective ones: the flux that other couplers share is part of them, and couplers parked
 * in the run stay at theirs when another one is parked.
 */
export class RunCurrents {
  readonly #mover: CouplerMover | undefined
  readonly #run: string
  readonly #signal: AbortSignal
  readonly #moved = new Set<string>()
  readonly #parked = new Map<string, number>()

  /** @param mover undefined when nothing holds a current. */
  constructor(mover: CouplerMover | undefined, run: string, signal: AbortSignal) {
    this.#mover = mover
    this.#run = run
    this.#signal = signal
  }

  /** @throws RoutineError when no source holds a current for the edge. */
  read(edge: string): Promise<HeldCurrent> {
    return this.#attempt(edge, async (mover) => {
      const amps = await mover.readEffective(edge)
      const shared = amps - (await mover.read(edge))
      return { amps, limit: mover.limit(edge) - Math.abs(shared) }
    })
  }

  /** @throws RoutineError when no source holds a current for the edge, or it refuses this one. */
  async ramp(edge: string, amps: number): Promise<void> {
    await this.#attempt(edge, (mover) => {
      this.#moved.add(edge)
      return mover.park(new Map([[edge, amps]]), this.#move)
    })
  }

  /**
   * Ends a measurement: every current that it moved returns to the one before the run, fast when the run was
   * stopped; one that was parked in this run returns to that.
   * @throws CalibrationError when one does not, which ends the run.
   */
  async restore(): Promise<void> {
    const edges = [...this.#moved]
    this.#moved.clear()
    if (edges.length === 0) return
    const isEmergency = this.#signal.aborted
    const found = edges.filter((edge) => isEmergency || !this.#parked.has(edge))
    await this.#mover?.restore(found, { isEmergency })
    if (found.length < edges.length) await this.#mover?.park(this.#parked, this.#move)
  }

  /**
   * Applies a found current. Returns a remark for the report.
   * @throws CalibrationError when it cannot be applied, which ends the run; the reason of the signal.
   */
  async park(edge: string, amps: number): Promise<string> {
    const mover = this.#mover
    if (!mover?.edges.includes(edge)) return `${edge}: not parked, no source can hold a parking current`
    this.#parked.set(edge, amps)
    const held = await mover.park(this.#parked, this.#move)
    return `${edge}: coupler parked at ${milliamps(held.get(edge) ?? amps)}`
  }

  /** Before the device file is written: how a process that ends meanwhile leaves its couplers. */
  async announce(file: string): Promise<void> {
    if (this.#parked.size > 0) await this.#mover?.announce(file, this.#parked)
  }

  /**
   * Ends the run: a coupler whose parking current the device file has stays there, any other one returns.
   * @returns remarks for the report
   * @throws CalibrationError for a coupler that does not return.
   */
  async settle(isInFile: (edge: string) => boolean): Promise<string[]> {
    const edges = [...this.#parked.keys()]
    this.#parked.clear()
    const kept = edges.filter(isInFile)
    const returned = edges.filter((edge) => !kept.includes(edge))
    if (kept.length > 0) this.#mover?.keep(kept)
    if (returned.length > 0) await this.#mover?.restore(returned, { isEmergency: this.#signal.aborted })
    return returned.map((edge) => `${edge}: coupler returned to its former current, the new one is not kept`)
  }

  get #move() {
    return { run: this.#run, signal: this.#signal }
  }

  async #attempt<T>(edge: string, work: (mover: CouplerMover) => Promise<T>): Promise<T> {
    const mover = this.#mover
    if (!mover?.edges.includes(edge)) {
      throw new RoutineError('no_source', `${edge}: no source can hold a parking current`)
    }
    try {
      return await work(mover)
    } catch (error) {
      if (this.#signal.aborted) throw error
      throw new RoutineError('no_source', messageOf(error))
    }
  }
}

function milliamps(amps: number): string {
  return `${Number((amps * 1e3).toFixed(4))} mA`
}
