import { mkdir, rename, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Clock } from '../../../base/index.ts'
import { encodeNpy, type NpyArray } from './npy.ts'
import type { RawDataSpace } from './raw-data-space.ts'

/** Name of the folder of all raw data in the data folder of a driver. */
export const RAW_DATA_FOLDER = 'raw'

/** What an array is, for whoever reads it years later: routine, target, axes, units. */
export type RawDataLabels = Readonly<Record<string, unknown>>

interface RawDataFile {
  file: string
  at: string
  dtype: 'float64' | 'complex128'
  shape: readonly number[]
  labels: RawDataLabels
}

interface RawDataOptions {
  /** The folder of all raw data of the driver, and its room. */
  space: RawDataSpace
  /** Id of the calibration run, or of the job and its attempt. */
  run: string
  /** Device and instrument. */
  backend: string
  clock: Clock
}

const MAX_NAME_LENGTH = 80

/**
 * The raw data of one run (option `save_raw_data`), in a folder named by it: NumPy files, and `index.json`
 * that lists them with the run, their shapes and labels, and counts those for which there was no room. The
 * index is complete after each file, so data of a run that is killed can be read too. Nothing here is ever
 * deleted.
 */
export class RawDataFolder {
  readonly #options: RawDataOptions
  readonly #path: string
  readonly #startedAt: string
  readonly #files: RawDataFile[] = []
  #missing = 0
  #last: Promise<void> = Promise.resolve()

  constructor(options: RawDataOptions) {
    this.#options = options
    this.#path = join(options.space.folder, safeName(options.run))
    this.#startedAt = new Date(options.clock.now()).toISOString()
  }

  /**
   * Stores an array as `<number>-<name>.npy`; resolves when it is in the index. The array must not change
   * until then.
   */
  add(name: string, array: NpyArray, labels: RawDataLabels = {}): Promise<void> {
    return this.#inTurn(() => this.#store(name, array, labels))
  }

  /** Stores a text that belongs to all arrays, such as a snapshot of the instrument. */
  addText(file: string, text: string): Promise<void> {
    return this.#inTurn(() => this.#write(file, Buffer.from(text)).then(() => undefined))
  }

  #inTurn(work: () => Promise<void>): Promise<void> {
    const done = this.#last.then(work)
    this.#last = done.catch(() => undefined)
    return done
  }

  async #store(name: string, array: NpyArray, labels: RawDataLabels): Promise<void> {
    const number = String(this.#files.length + this.#missing + 1).padStart(5, '0')
    const file = `${number}-${safeName(name)}.npy`
    if (await this.#write(file, encodeNpy(array))) {
      const at = new Date(this.#options.clock.now()).toISOString()
      const dtype = 'real' in array ? 'float64' : 'complex128'
      this.#files.push({ file, at, dtype, shape: array.shape, labels })
    } else this.#missing += 1
    await this.#writeIndex()
  }

  /** @returns whether there was room. */
  async #write(file: string, content: Uint8Array): Promise<boolean> {
    await mkdir(this.#path, { recursive: true })
    if (!(await this.#options.space.take(content.byteLength))) return false
    await writeFile(join(this.#path, file), content)
    return true
  }

  async #writeIndex(): Promise<void> {
    const { run, backend } = this.#options
    const missing = this.#missing > 0 ? { missing: this.#missing } : {}
    const index = { version: 1, run, backend, started_at: this.#startedAt, ...missing, files: this.#files }
    const path = join(this.#path, 'index.json')
    await writeFile(`${path}.tmp`, `${JSON.stringify(index, null, 1)}\n`)
    await rename(`${path}.tmp`, path)
  }
}

/** A name without separators of paths and without dots at its start. */
function safeName(name: string): string {
  return name.replace(/[^A-Za-z0-9_-]+/g, '_').slice(0, MAX_NAME_LENGTH) || '_'
}
