import { mkdir, readdir, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import type { Clock, Log } from '../../base/index.ts'
import { MIB } from '../../base/index.ts'
import { writeFlushed } from './event-files.ts'

/** What the folder may hold; the oldest files are removed first. */
export const ORPHANED_LIMITS = {
  files: 1_000,
  bytes: 256 * MIB,
  ageMs: 30 * 24 * 60 * 60_000,
} as const

interface OrphanedDependencies {
  clock: Clock
  log: Log
}

/**
 * Results of jobs that the server does not know, one file each, for example after the server was restored
 * from a backup older than the job. Nothing sends them again; an operator decides what to do with them.
 */
export class Orphaned {
  readonly #folder: string
  readonly #clock: Clock
  readonly #log: Log

  private constructor(folder: string, { clock, log }: OrphanedDependencies) {
    this.#folder = folder
    this.#clock = clock
    this.#log = log
  }

  /** Uses the folder, which is created when the first result is kept, and removes what exceeds the limits. */
  static async open(folder: string, dependencies: OrphanedDependencies): Promise<Orphaned> {
    const orphaned = new Orphaned(folder, dependencies)
    await orphaned.#prune()
    return orphaned
  }

  /** Keeps the text of an event in a file of this name. */
  async keep(event: string, name: string, body: string): Promise<void> {
    await mkdir(this.#folder, { recursive: true, mode: 0o700 })
    // Its age counts by the same clock that `#prune` reads; the file system may have another one.
    await writeFlushed(this.#folder, name, body, new Date(this.#clock.now()))
    const file = join(this.#folder, name)
    this.#log.warn('the server does not know the job; its result is kept', { event, file })
    await this.#prune()
  }

  async #prune(): Promise<void> {
    const names = await readdir(this.#folder).catch(() => [])
    const files = await Promise.all(
      names.map(async (name) => {
        const path = join(this.#folder, name)
        const { size, mtimeMs } = await stat(path)
        return { path, size, mtimeMs }
      }),
    )
    const oldest = this.#clock.now() - ORPHANED_LIMITS.ageMs
    let bytes = 0
    for (const [count, file] of files.toSorted((one, other) => other.mtimeMs - one.mtimeMs).entries()) {
      bytes += file.size
      const isKept = count < ORPHANED_LIMITS.files && bytes <= ORPHANED_LIMITS.bytes && file.mtimeMs >= oldest
      if (isKept) continue
      await rm(file.path)
      this.#log.warn('orphaned result removed: the folder exceeds its limits', { file: file.path })
    }
  }
}
