import type { Chain } from './chain.ts'

/** Largest loss and bond of all states of a task. */
export class Losses {
  discarded = 0
  bond = 1

  /** Takes account of a state at its end. */
  note(chain: Chain): void {
    this.discarded = Math.max(this.discarded, chain.discarded)
    this.bond = Math.max(this.bond, chain.bond)
  }
}
