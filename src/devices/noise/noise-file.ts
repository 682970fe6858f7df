import { readFileSync, statSync } from 'node:fs'
import { basename } from 'node:path'
import { type Log, messageOf } from '../../base/index.ts'
import { StartupError } from '../errors.ts'
import { type ReadNoise, readNoise } from './read-noise.ts'

const MAX_BYTES = 4 * 1024 * 1024
/** Maximum number of problems of a file that are reported. */
const MAX_REPORTED_PROBLEMS = 10

/**
 * A noise model in a file, read again after the file has changed. The last valid model stays in use while the
 * file is invalid: a tuner may be in the middle of writing it.
 */
export class NoiseFile {
  readonly #path: string
  readonly #log: Log
  #noise: ReadNoise
  /** Size and modification time of the file when it was last read. */
  #readStamp = ''

  /** @throws StartupError with the problems of the file. */
  constructor(path: string, log: Log) {
    this.#path = path
    this.#log = log
    const read = this.#read()
    if ('problems' in read) {
      const problems = read.problems.slice(0, MAX_REPORTED_PROBLEMS).map((problem) => `  ${problem}`)
      throw new StartupError([`startup error: ${path} is not a noise model`, ...problems])
    }
    this.#noise = read
  }

  /** The model in use; reads the file again if it has changed. */
  get current(): ReadNoise {
    if (this.#readStamp === this.#stamp()) return this.#noise
    const read = this.#read()
    if (!('problems' in read)) this.#noise = read
    else
      this.#log.warn('the changed noise file is not used', {
        file: this.#path,
        problems: read.problems.slice(0, MAX_REPORTED_PROBLEMS),
      })
    return this.#noise
  }

  #stamp(): string {
    const file = statSync(this.#path, { throwIfNoEntry: false })
    return file ? `${file.size} ${file.mtimeMs}` : 'absent'
  }

  #read(): ReadNoise | { problems: string[] } {
    this.#readStamp = this.#stamp()
    try {
      const { size } = statSync(this.#path)
      if (size > MAX_BYTES) return { problems: [`the file has ${size} bytes; at most ${MAX_BYTES} are read`] }
      return readNoise({ name: basename(this.#path), text: readFileSync(this.#path, 'utf8') })
    } catch (error) {
      return { problems: [messageOf(error)] }
    }
  }
}
