import { readdir, stat, statfs } from 'node:fs/promises'
import { join } from 'node:path'
import { type Clock, GIB, type Log, MINUTE_MS } from '../../../base/index.ts'

/** Raw data take at most this on the disk, and leave this much of it free. */
const LIMITS = { maxBytes: 20 * GIB, minFreeBytes: GIB }

/** Time after which a folder that was full is measured again, ms: a person may have moved data away. */
const MEASURE_AGAIN_MS = MINUTE_MS

interface RawDataSpaceOptions {
  /** The folder of all raw data of the driver. */
  folder: string
  clock: Clock
  log: Log
  limits?: { maxBytes: number; minFreeBytes: number }
}

/**
 * The room for raw data: the folder grows to a limit and never fills the disk, on which the results of jobs
 * are stored as well. Nothing is removed to make room: data that a person asked for are theirs to move away.
 */
export class RawDataSpace {
  readonly folder: string
  readonly #options: RawDataSpaceOptions
  readonly #limits: typeof LIMITS
  #used: number | undefined
  #measuredAt = Number.NEGATIVE_INFINITY
  #isFull = false

  constructor(options: RawDataSpaceOptions) {
    this.folder = options.folder
    this.#options = options
    this.#limits = options.limits ?? LIMITS
  }

  /** Takes room for a file; false when there is none, which is logged once until there is room again. */
  async take(bytes: number): Promise<boolean> {
    const { clock, log } = this.#options
    const { maxBytes, minFreeBytes } = this.#limits
    const isDue = clock.monotonic() - this.#measuredAt >= MEASURE_AGAIN_MS
    if (this.#used === undefined || (this.#isFull && isDue)) {
      this.#used = await sizeOf(this.folder)
      this.#measuredAt = clock.monotonic()
    }
    const disk = await statfs(this.folder)
    const free = disk.bavail * disk.bsize
    const fits = this.#used + bytes <= maxBytes && free - bytes >= minFreeBytes
    if (fits) this.#used += bytes
    else if (!this.#isFull) {
      const problem = 'raw data are not stored: move files of the folder away'
      log.warn(problem, {
        folder: this.folder,
        used_bytes: this.#used,
        max_bytes: maxBytes,
        free_bytes: free,
      })
    }
    this.#isFull = !fits
    return fits
  }
}

/** Bytes of all files of a folder and its subfolders; files that vanish meanwhile count as nothing. */
async function sizeOf(folder: string): Promise<number> {
  let sum = 0
  for (const entry of await readdir(folder, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile()) continue
    sum += await stat(join(entry.parentPath, entry.name)).then(
      ({ size }) => size,
      () => 0,
    )
  }
  return sum
}
