import type { Clock } from '../../../base/index.ts'
import type { HeraldStart, Heralds } from '../herald.ts'

/**
 * Time for which a start serves other routines, and for which a refusal does: judging takes seconds, full
 * waits minutes.
 */
const MAX_AGE_MS = 30 * 60_000
const MAX_REFUSAL_AGE_MS = 5 * 60_000

/** What a run knows of shots that begin with a reading, for its routines and its report. */
export class RunHeralds implements Heralds {
  readonly #clock: Clock
  /** By what it follows from; undefined for one that was refused. */
  readonly #starts = new Map<string, { start: HeraldStart | undefined; judgedAt: number }>()
  /** By qubit, the largest share of shots that were excited all the same. */
  readonly #excited = new Map<string, number>()
  /** By qubit, why shots waited instead, the last time. */
  readonly #refusals = new Map<string, string>()

  constructor(clock: Clock) {
    this.#clock = clock
  }

  recall(key: string): { start: HeraldStart | undefined } | undefined {
    const known = this.#starts.get(key)
    if (!known) return undefined
    const maxAge = known.start ? MAX_AGE_MS : MAX_REFUSAL_AGE_MS
    return this.#clock.monotonic() - known.judgedAt < maxAge ? known : undefined
  }

  keep(key: string, start: HeraldStart | undefined): void {
    this.#starts.set(key, { start, judgedAt: this.#clock.monotonic() })
  }

  forget(key: string): void {
    this.#starts.delete(key)
  }

  note(qubit: string, about: Parameters<Heralds['note']>[1]): void {
    if ('refusal' in about) this.#refusals.set(qubit, about.refusal)
    else this.#excited.set(qubit, Math.max(about.excited, this.#excited.get(qubit) ?? 0))
  }

  notes(): string[] {
    return [
      ...Array.from(this.#excited, ([qubit, excited]) => {
        const share = `${(100 * excited).toPrecision(2)} %`
        return `${qubit}: shots began with a reading in 0 instead of a full wait; at most ${share} of them were excited`
      }),
      ...Array.from(
        this.#refusals,
        ([qubit, why]) => `${qubit}: shots of some routines waited for a full reset: ${why}`,
      ),
    ]
  }
}
