import type { Log } from '../../base/index.ts'
import type { FileState } from '../../protocol/index.ts'
import { type Chip, chipOf, type DeviceFile, readDeviceFile } from './device-file.ts'
import type { Element } from './elements/element.ts'
import { WatchedFile } from './files/watched-file.ts'

/**
 * The device file of a driver, read again after it has changed. A file that does not parse never replaces a
 * working one. The elements are those of the start: a new one needs a restart, and one that vanished keeps
 * its last values. Both are logged once per change, as are names that nothing uses.
 */
export class WatchedDeviceFile {
  readonly #log: Log
  readonly #path: string
  readonly #file: WatchedFile<DeviceFile>
  #elements: ReadonlyMap<string, Element> | undefined
  #current: DeviceFile | undefined

  /** @throws StartupError with the problems of the file. */
  constructor(path: string, log: Log) {
    this.#path = path
    this.#log = log
    this.#file = new WatchedFile<DeviceFile>({
      path,
      kind: 'a device file',
      log,
      parse: readDeviceFile,
      onRead: (read) => {
        this.#use(read)
      },
    })
  }

  /** The file in use: its text, and its chip with the elements of the start. */
  get current(): DeviceFile {
    const read = this.#file.current
    return this.#current ?? read
  }

  /** The file that the content in use comes from. */
  get state(): FileState {
    return this.#file.state
  }

  /** Why the file as it is now cannot be used, with line and column; empty when it is in use. */
  get problems(): readonly string[] {
    return this.#file.problems
  }

  #use(read: DeviceFile): void {
    const { unrecognized, chip } = read
    const file = this.#path
    if (unrecognized.length > 0) this.#log.warn('names in a file are not used', { file, names: unrecognized })
    const found = elementsOf(chip)
    const before = this.#elements
    const added = before ? [...found.keys()].filter((name) => !before.has(name)) : []
    const vanished = [...(before?.keys() ?? [])].filter((name) => !found.has(name))
    if (added.length > 0) this.#log.warn('restart the driver to use new elements', { file, elements: added })
    if (vanished.length > 0) {
      this.#log.warn('removed elements keep their last values until the driver restarts', {
        file,
        elements: vanished,
      })
    }
    const merged = [...(before ?? found)].map(([name, element]) => found.get(name) ?? element)
    this.#current = { ...read, chip: chipOf(merged) }
    this.#elements = elementsOf(this.#current.chip)
  }
}

function elementsOf({ qubits, edges }: Chip): ReadonlyMap<string, Element> {
  return new Map([...qubits, ...edges].map((element) => [element.name, element]))
}
