import {
  acceptReplacement,
  readReplacement,
  removeStaged,
  replaceDatabase,
  returnReplaced,
} from '../durability/replacement.ts'
import { removeAbandonedRestores, unusedName } from './restore.ts'

/** A restored database that replaced the one in service. */
interface Restored {
  /** What was restored. */
  readonly backup: string
  /** File name of the old database. */
  readonly kept: string
}

/**
 * Replaces the file of a database in a data folder, which this process has locked, by a restored one, until
 * that has proven itself; see docs/decisions/0016-restore-in-place.md. Nobody has the database open during
 * `replace` and `withdraw`.
 */
export class RestoredFile {
  readonly #dir: string

  constructor(dir: string) {
    this.#dir = dir
  }

  /** Whether the database is a restored one that was neither accepted nor withdrawn. */
  get isOnTrial(): boolean {
    return readReplacement(this.#dir) !== undefined
  }

  /** Puts the staged database into the place of the present one, which is kept; `at`: ms since the epoch. */
  replace({ staged, backup, at }: { staged: string; backup: string; at: number }): void {
    const kept = unusedName(this.#dir, `svc.db.before-restore-${stampOf(at)}`)
    replaceDatabase(this.#dir, { staged, kept, backup })
  }

  /** Puts the old database into its place again. */
  withdraw(): void {
    returnReplaced(this.#dir)
  }

  /** Keeps the restored database, which it returns; undefined when none is on trial. */
  accept(): Restored | undefined {
    const restored = readReplacement(this.#dir)
    acceptReplacement(this.#dir)
    return restored
  }

  /** Removes a staged database that replaced nothing. */
  remove(staged: string): void {
    removeStaged(this.#dir, staged)
  }

  /** Removes what earlier restores have staged and never used; none runs. */
  removeAbandoned(): void {
    removeAbandonedRestores(this.#dir)
  }
}

/** A time in a file name: `20260131T090500.000Z`. */
function stampOf(at: number): string {
  return new Date(at).toISOString().replaceAll(/[-:]/g, '')
}
