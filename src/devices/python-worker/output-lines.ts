import type { Clock } from '../../base/index.ts'

const MAX_LINE_BYTES = 4_096
const MAX_LINES_PER_S = 100
const LAST_LINES = 20

interface OutputDependencies {
  clock: Clock
  onLine(line: string): void
  /** `count` lines were left out, because too many followed each other. */
  onDropped(count: number): void
}

/** What a device prints, as lines: at most 100 a second of at most 4 KiB; the rest is counted. */
export class OutputLines {
  readonly #dependencies: OutputDependencies
  readonly #decoder = new TextDecoder()
  #rest = ''
  #last: string[] = []
  #secondBegan = Number.NEGATIVE_INFINITY
  #lines = 0
  #dropped = 0

  constructor(dependencies: OutputDependencies) {
    this.#dependencies = dependencies
  }

  /** The last lines, for the report of an end. */
  get last(): readonly string[] {
    return this.#last
  }

  push(chunk: Uint8Array): void {
    const parts = (this.#rest + this.#decoder.decode(chunk, { stream: true })).split('\n')
    this.#rest = parts.pop() ?? ''
    for (const part of parts) this.#line(part)
    if (this.#rest.length <= MAX_LINE_BYTES) return
    this.#line(this.#rest)
    this.#rest = ''
  }

  end(): void {
    if (this.#rest !== '') this.#line(this.#rest)
    this.#rest = ''
    this.#reportDropped()
  }

  #line(text: string): void {
    for (let at = 0; at === 0 || at < text.length; at += MAX_LINE_BYTES) {
      this.#piece(text.slice(at, at + MAX_LINE_BYTES).trimEnd())
    }
  }

  #piece(line: string): void {
    if (line === '') return
    this.#last = [...this.#last.slice(1 - LAST_LINES), line]
    const now = this.#dependencies.clock.monotonic()
    if (now - this.#secondBegan >= 1_000) {
      this.#reportDropped()
      this.#secondBegan = now
      this.#lines = 0
    }
    this.#lines += 1
    if (this.#lines <= MAX_LINES_PER_S) this.#dependencies.onLine(line)
    else this.#dropped += 1
  }

  #reportDropped(): void {
    if (this.#dropped > 0) this.#dependencies.onDropped(this.#dropped)
    this.#dropped = 0
  }
}
