import { type Clock, type Log, messageOf } from '../../../base/index.ts'
import { CalibrationError } from '../../errors.ts'
import type { CurrentSource } from '../instrument.ts'
import { type CouplerBias, milliamps, nameOf, rateOf } from './coupler-bias.ts'
import { appliedCurrents, effectiveCurrents } from './crosstalk.ts'
import type { CurrentJournal, JournalEntry } from './journal.ts'

/** Tries to restore a current, and the pauses between them. */
const RESTORE_TRIES = 4
const RETRY_PAUSE_MS = 250

interface CouplerCurrentsDependencies {
  couplers: readonly CouplerBias[]
  source: CurrentSource
  journal: CurrentJournal
  clock: Clock
  log: Log
}

/** Why and how currents move. */
interface RunMove {
  /** Id of the run that moves them. */
  run: string
  signal?: AbortSignal
}

/**
 * The currents of the couplers of a chip during calibrations. Every change is noted in the journal first, so
 * that `restore`, or the next start of the tuner, brings the former current back however the run ends.
 *
 * | Coupler | Leaves it by | Next |
 * |---|---|---|
 * | as found | `move`, `park` | changed: the journal has its former current |
 * | changed | `restore`, confirmed by reading back | as found |
 * | changed | `keep`: the device file now has the new current | as found, with the new current |
 * | changed | end of the process | restored by `restoreLeftOver` at the next start |
 * | announced, written | end of the process | left parked by `restoreLeftOver` |
 */
export class CouplerCurrents {
  readonly #dependencies: CouplerCurrentsDependencies

  constructor(dependencies: CouplerCurrentsDependencies) {
    this.#dependencies = dependencies
  }

  /** The edges whose current can be moved. */
  get edges(): readonly string[] {
    return this.#dependencies.source.edges
  }

  /** The edges whose current differs, or may differ, from what it was before the run. */
  get changed(): readonly string[] {
    return this.#dependencies.journal.entries.map(({ edge }) => edge)
  }

  /** Largest magnitude of the current of an edge, A. */
  limit(edge: string): number {
    return this.#dependencies.source.limit(edge)
  }

  /**
   * The present current of an edge, A.
   * @throws CalibrationError when it cannot be read.
   */
  async read(edge: string): Promise<number> {
    return this.#named(edge, () => this.#dependencies.source.read(edge))
  }

  /**
   * Moves the current of an edge to `amps` and resolves with the current then held.
   * @throws CalibrationError when the current is refused or the output fails; the reason of `signal`.
   */
  async move(edge: string, amps: number, { run, signal }: RunMove): Promise<number> {
    const { source, journal, clock } = this.#dependencies
    const bias = this.#biasOf(edge)
    return this.#named(
      edge,
      async () => {
        const limit = source.limit(edge)
        if (!(Math.abs(amps) <= limit)) {
          throw new Error(`${milliamps(amps)} is beyond the limit of ${milliamps(limit)}`)
        }
        const entry = journal.entryOf(edge)
        if (entry && entry.run !== run) throw new Error(`it is still changed by run ${entry.run}`)
        if (!entry) {
          const before = await source.read(edge)
          if (!(Math.abs(before) <= limit)) {
            throw new Error(
              `it holds ${milliamps(before)}, beyond the limit of ${milliamps(limit)}; lower it by hand`,
            )
          }
          const at = new Date(clock.now()).toISOString()
          const { address, abortRate } = bias
          journal.add({ edge, address, abortRate, before, run, at })
        }
        await source.ramp(edge, amps, { rate: rateOf(bias, false), signal })
        return source.read(edge)
      },
      signal,
    )
  }

  /**
   * Moves couplers to their parking currents. These are effective currents: the flux of the other couplers is
   * taken off by the measured crosstalk. All are checked before the first one moves. Returns the currents now
   * held, by edge.
   * @throws CalibrationError as `move`.
   */
  async park(wanted: ReadonlyMap<string, number>, move: RunMove): Promise<Map<string, number>> {
    const applied = appliedCurrents(this.#dependencies.couplers, wanted, await this.readAll())
    for (const [edge, amps] of applied) {
      const limit = this.limit(edge)
      if (Math.abs(amps) <= limit) continue
      throw new CalibrationError(
        `coupler ${edge}: parking needs ${milliamps(amps)}, beyond the limit of ${milliamps(limit)}`,
      )
    }
    const held = new Map<string, number>()
    for (const [edge, amps] of applied) held.set(edge, await this.move(edge, amps, move))
    return held
  }

  /**
   * The effective current of an edge, A: its own and the flux that the others share with it.
   * @throws CalibrationError when a current cannot be read.
   */
  async readEffective(edge: string): Promise<number> {
    const effective = effectiveCurrents(this.#dependencies.couplers, await this.readAll())
    return effective.get(edge) ?? 0
  }

  /** The present currents of all edges, A. */
  async readAll(): Promise<Map<string, number>> {
    const held = new Map<string, number>()
    for (const edge of this.edges) held.set(edge, await this.read(edge))
    return held
  }

  /**
   * Brings changed currents back to what they were before the run; edges that were not changed are skipped.
   * An emergency takes the fast ramp. Nothing interrupts it.
   * @throws CalibrationError that names every edge that is not back, with both currents. They stay in the
   *   journal.
   */
  async restore(edges: readonly string[] = this.changed, { isEmergency = false } = {}): Promise<void> {
    const problems: string[] = []
    for (const edge of edges) {
      const entry = this.#dependencies.journal.entryOf(edge)
      if (!entry) continue
      const problem = await this.#restoreEntry(entry, isEmergency)
      if (problem !== undefined) problems.push(problem)
    }
    if (problems.length > 0) throw new CalibrationError(problems.join('; '))
  }

  /**
   * A device file is about to get these parking currents: if the process ends then, the next start leaves
   * each coupler parked whose current the file has.
   */
  async announce(file: string, wanted: ReadonlyMap<string, number>): Promise<void> {
    for (const [edge, current] of wanted) {
      const held = await this.read(edge)
      this.#dependencies.journal.change(edge, { parked: { file, current, held } })
    }
  }

  /** The device file now names the present currents of these edges: their former ones are not restored. */
  keep(edges: readonly string[]): void {
    for (const edge of edges) this.#dependencies.journal.remove(edge)
  }

  /** Closes the source; outputs hold their currents. */
  async close(): Promise<void> {
    await this.#dependencies.source.close?.()
  }

  /** Returns what is wrong when the current is not back. */
  async #restoreEntry(entry: JournalEntry, isEmergency: boolean): Promise<string | undefined> {
    const { source, journal, clock, log } = this.#dependencies
    const { edge, before } = entry
    let reason = ''
    for (let tries = 1; tries <= RESTORE_TRIES; tries += 1) {
      if (tries > 1) await clock.sleep(RETRY_PAUSE_MS)
      try {
        await source.ramp(edge, before, { rate: rateOf(this.#biasOf(edge), isEmergency) })
        journal.remove(edge)
        return undefined
      } catch (error) {
        reason = messageOf(error)
        log.warn('coupler current is not restored yet', { edge, tries, reason })
      }
    }
    const held = await source.read(edge).then(milliamps, () => 'an unknown current')
    return `coupler ${edge} holds ${held} instead of ${milliamps(before)} (${nameOf(entry.address)}): ${reason}`
  }

  #biasOf(edge: string): CouplerBias {
    const bias = this.#dependencies.couplers.find((each) => each.edge === edge)
    if (!bias) throw new CalibrationError(`coupler ${edge} has no bias in the device file`)
    return bias
  }

  /** Names the edge in every error but the reason of `signal`. */
  async #named<T>(edge: string, work: () => Promise<T>, signal?: AbortSignal): Promise<T> {
    try {
      return await work()
    } catch (error) {
      if (signal?.aborted || error instanceof CalibrationError) throw error
      throw new CalibrationError(`coupler ${edge}: ${messageOf(error)}`, { cause: error })
    }
  }
}
