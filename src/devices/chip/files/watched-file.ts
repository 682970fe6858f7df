import { readFileSync, statSync } from 'node:fs'
import { type Log, MIB, messageOf, sha256 } from '../../../base/index.ts'
import type { FileState } from '../../../protocol/index.ts'
import { StartupError } from '../../errors.ts'

const MAX_BYTES = 4 * MIB
/** Maximum number of problems of a file that are reported. */
const MAX_REPORTED_PROBLEMS = 10

interface WatchedFileOptions<T> {
  path: string
  /** What the file is: `a noise model`. */
  kind: string
  log: Log
  /** Reads the content; returns the problems of an invalid text, one line each. */
  parse(text: string): T | { problems: readonly string[] }
  /** Called with each content that comes into use, to log what is remarkable about it. */
  onRead?(content: T): void
}

/**
 * A file that is read again after it has changed. The last valid content stays in use while the file is
 * invalid or absent: a person may be in the middle of writing it. One warning is logged per change.
 */
export class WatchedFile<T extends object> {
  readonly #options: WatchedFileOptions<T>
  #content: T
  /** The file as the content in use was read from it. */
  #state: FileState
  /** Why the file as it was last read is not in use. */
  #problems: readonly string[] = []
  /** Identity, size and modification time of the file when it was last read. */
  #readStamp = ''

  /** @throws StartupError with the problems of the file. */
  constructor(options: WatchedFileOptions<T>) {
    this.#options = options
    const read = this.#read()
    if ('problems' in read) {
      const problems = firstOf(read.problems).map((problem) => `  ${problem}`)
      throw new StartupError([`startup error: ${options.path} is not ${options.kind}`, ...problems])
    }
    this.#content = read.content
    this.#state = read.state
    options.onRead?.(read.content)
  }

  /** The content in use; reads the file again if it has changed. */
  get current(): T {
    if (this.#readStamp === stampOf(this.#options.path)) return this.#content
    const { path, kind, log, onRead } = this.#options
    const read = this.#read()
    if (!('problems' in read)) {
      this.#content = read.content
      this.#state = read.state
      onRead?.(read.content)
    } else {
      log.warn('a changed file is not used', { file: path, expected: kind, problems: firstOf(read.problems) })
    }
    return this.#content
  }

  /** The file that the content in use comes from; reads the file again if it has changed. */
  get state(): FileState {
    void this.current
    return this.#state
  }

  /** Why the file as it is now cannot be used, at most 10 lines and one that counts the rest; else empty. */
  get problems(): readonly string[] {
    void this.current
    return firstOf(this.#problems)
  }

  #read(): { content: T; state: FileState } | { problems: readonly string[] } {
    const { path, parse } = this.#options
    this.#readStamp = stampOf(path)
    const read = readWhole(path)
    const content = 'problems' in read ? read : parse(read.bytes.toString('utf8'))
    if ('problems' in read || 'problems' in content) {
      this.#problems = 'problems' in content ? content.problems : []
      return { problems: this.#problems }
    }
    this.#problems = []
    return { content, state: { sha256: sha256(read.bytes), modified_at: read.modifiedAt.toISOString() } }
  }
}

/** The text of a file of bounded size, or the reason it is not read. */
export function readText(path: string): string | { problems: readonly string[] } {
  const read = readWhole(path)
  return 'problems' in read ? read : read.bytes.toString('utf8')
}

function readWhole(path: string): { bytes: Buffer; modifiedAt: Date } | { problems: readonly string[] } {
  try {
    const { size, mtime: modifiedAt } = statSync(path)
    if (size > MAX_BYTES) return { problems: [`the file has ${size} bytes; at most ${MAX_BYTES} are read`] }
    return { bytes: readFileSync(path), modifiedAt }
  } catch (error) {
    return { problems: [messageOf(error)] }
  }
}

/**
 * A text that changes whenever the file does. The inode is part of it: a file that is replaced within one
 * tick of its clock by one of the same size is another file.
 */
export function stampOf(path: string): string {
  const file = statSync(path, { bigint: true, throwIfNoEntry: false })
  return file ? `${file.dev} ${file.ino} ${file.size} ${file.mtimeNs}` : 'absent'
}

function firstOf(problems: readonly string[]): readonly string[] {
  const rest = problems.length - MAX_REPORTED_PROBLEMS
  const more = rest > 0 ? [`…and ${rest} more`] : []
  return [...problems.slice(0, MAX_REPORTED_PROBLEMS), ...more]
}
