import { opendir, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { DATABASE_FILE } from './database-file.ts'

/** Where Litestream keeps what it has read from the log, one file for each time, named in their order. */
const CHANGES = `.${DATABASE_FILE}-litestream/ltx/0`

/**
 * How far the replica is behind, as far as this machine shows it: Litestream deletes the changes that it
 * keeps beside the database some minutes after they have been replicated, and only then.
 */
export class ReplicatorBacklog {
  readonly #folder: string
  /** The oldest file when the folder was last listed; it remains the oldest one until it is deleted. */
  #oldest = ''

  constructor(dir: string) {
    this.#folder = join(dir, CHANGES)
  }

  /** Time between the oldest and the newest change that is kept, in ms; 0 without Litestream. */
  async spanMs(): Promise<number> {
    const newest = await this.#modified('')
    const oldest = (this.#oldest && (await this.#modified(this.#oldest))) || (await this.#findOldest())
    return newest === undefined || oldest === undefined ? 0 : Math.max(0, newest - oldest)
  }

  async #findOldest(): Promise<number | undefined> {
    this.#oldest = ''
    try {
      for await (const { name } of await opendir(this.#folder)) {
        if (name.endsWith('.ltx') && (this.#oldest === '' || name < this.#oldest)) this.#oldest = name
      }
    } catch {
      return undefined
    }
    return this.#oldest === '' ? undefined : this.#modified(this.#oldest)
  }

  /** Time of the last change of a file, or with '' of the folder, to which each new file is a change. */
  async #modified(name: string): Promise<number | undefined> {
    return stat(join(this.#folder, name)).then(
      ({ mtimeMs }) => mtimeMs,
      () => undefined,
    )
  }
}
