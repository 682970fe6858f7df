import { ErrorQueue, Refusal } from './error-queue.ts'

/** A command taken apart. */
export interface Call {
  /** The numbers in the name of the command: 4 and 1 of `SLOT4:SEQuencer1:ARM`. */
  numbers: readonly number[]
  /** Arguments without their quotes. */
  args: readonly string[]
  block: Buffer
}

/** A text or number for a line, bytes for blocks, nothing for a command without a reply. */
export type Reply = string | number | Buffer | undefined
export type Handler = (call: Call) => Reply | Promise<Reply>
/** Handlers by the name of the command, with `#` for each number. */
export type Table = Readonly<Record<string, Handler>>

/** Looks commands up, whatever their case, and keeps what goes wrong for the error queue. */
export class CommandTable {
  readonly errors = new ErrorQueue()
  readonly #handlers: Map<string, Handler>

  constructor(...tables: readonly Table[]) {
    const entries = tables.flatMap((table) => Object.entries(table))
    this.#handlers = new Map(entries.map(([name, handler]) => [name.toLowerCase(), handler]))
  }

  get names(): readonly string[] {
    return [...this.#handlers.keys()]
  }

  /** Carries a command out; a refused or unknown one has no reply and is in the queue. */
  async execute(text: string, block: Buffer | undefined): Promise<Reply> {
    const space = text.indexOf(' ')
    const name = space < 0 ? text : text.slice(0, space)
    const handler = this.#handlers.get(name.toLowerCase().replaceAll(/\d+/g, '#'))
    try {
      if (!handler) throw new Refusal(-113, `Undefined header;${name.slice(0, 80)}`)
      return await handler({
        numbers: (name.match(/\d+/g) ?? []).map(Number),
        args: space < 0 ? [] : argumentsOf(text.slice(space + 1)),
        block: block ?? Buffer.alloc(0),
      })
    } catch (error) {
      if (!(error instanceof Refusal)) throw error
      this.errors.add(error.message)
      return undefined
    }
  }
}

/** Arguments between commas; the comma before a block has nothing after it. */
function argumentsOf(text: string): string[] {
  const parts = text.split(',').map((part) => part.trim().replaceAll(/^"|"$/g, ''))
  return parts.at(-1) === '' ? parts.slice(0, -1) : parts
}

/** An argument that has to be a number within limits. */
export function numberArgument(text: string | undefined, min: number, max: number, step = 0): number {
  if (text === undefined) throw new Refusal(-109, 'Missing parameter')
  const value = Number(text)
  if (text === '' || Number.isNaN(value)) throw new Refusal(-120, `Numeric data error;${text}`)
  if (value < min || value > max || (step > 0 && !Number.isInteger(value / step))) {
    throw new Refusal(-222, `Data out of range;${text}`)
  }
  return value
}

/** The JSON of a block. */
export function jsonArgument(block: Buffer): unknown {
  try {
    return JSON.parse(block.toString('utf8'))
  } catch {
    throw new Refusal(-161, 'Invalid block data')
  }
}
