import type { HeraldLog } from '../routine.ts'

/** What a run knows of shots that begin with a reading, for its report. */
export class Heralds implements HeraldLog {
  /** By qubit, the largest share of shots that were excited all the same. */
  readonly #excited = new Map<string, number>()
  /** By qubit, why shots waited instead, the last time. */
  readonly #refusals = new Map<string, string>()

  note(qubit: string, about: Parameters<HeraldLog['note']>[1]): void {
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
