import type { Log } from '../../../base/index.ts'
import { StartupError } from '../../errors.ts'
import { readText } from '../files/watched-file.ts'
import { type Hardware, readHardwareFile } from './hardware-file.ts'

/** Maximum number of problems of a file that are reported. */
const MAX_REPORTED_PROBLEMS = 10

/** The hardware file of a driver: it applies from the start on, and a change is logged once. */
export class HardwareConfig {
  readonly hardware: Hardware
  /** As it was at the start. */
  readonly text: string
  readonly #path: string
  readonly #log: Log
  #isReported = false

  /** @throws StartupError with all problems of the file. */
  constructor(path: string, log: Log) {
    this.#path = path
    this.#log = log
    const text = readText(path)
    const read = typeof text === 'string' ? readHardwareFile(text) : text
    if (typeof text !== 'string' || 'problems' in read) {
      const all = 'problems' in read ? read.problems : []
      const more =
        all.length > MAX_REPORTED_PROBLEMS ? [`  …and ${all.length - MAX_REPORTED_PROBLEMS} more`] : []
      const problems = all.slice(0, MAX_REPORTED_PROBLEMS).map((problem) => `  ${problem}`)
      throw new StartupError([`startup error: ${path} is not a hardware file`, ...problems, ...more])
    }
    this.text = text
    this.hardware = read
    if (read.unused.length > 0) log.warn('parts of a file are not used', { file: path, parts: read.unused })
    if (read.unplayable.length > 0)
      log.warn('ports in a file cannot be played', { file: path, ports: read.unplayable })
  }

  /** Logs once that the file is another one than at the start. */
  reportChange(): void {
    if (this.#isReported || readText(this.#path) === this.text) return
    this.#isReported = true
    this.#log.warn('hardware config changed; restart the driver to use it', { file: this.#path })
  }
}
