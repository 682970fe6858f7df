/** A command as it arrived: its text, and the block at its end. */
export interface Command {
  /** Without the end of the line, and without the block. */
  text: string
  block: Buffer | undefined
}

/** Longest command without a block; a real module closes the connection as well. */
const MAX_TEXT = 10_000

/**
 * Cuts a stream of bytes into commands: a line of text, or a text, a block of definite length (IEEE 488.2:
 * `#`, the number of digits, the digits of the length, the bytes) and the end of the line.
 */
export class CommandStream {
  #rest: Buffer = Buffer.alloc(0)

  /** The commands that are complete with these bytes. */
  push(chunk: Buffer): Command[] {
    this.#rest = this.#rest.length === 0 ? chunk : Buffer.concat([this.#rest, chunk])
    const commands: Command[] = []
    for (let command = this.#next(); command; command = this.#next()) commands.push(command)
    return commands
  }

  #next(): Command | undefined {
    const mark = this.#rest.indexOf('#')
    const end = this.#rest.indexOf('\n')
    if (mark >= 0 && (end < 0 || mark < end)) return this.#withBlock(mark)
    if (end < 0 && this.#rest.length > MAX_TEXT) throw new Error('the command has no end')
    return end < 0 ? undefined : this.#take(end, undefined, end + 1)
  }

  #withBlock(mark: number): Command | undefined {
    const bytes = this.#rest
    const digits = Number(bytes.toString('latin1', mark + 1, mark + 2) || '1')
    const start = mark + 2 + digits
    if (!(digits > 0)) throw new Error('the block has no length')
    if (bytes.length < start) return undefined
    const length = Number(bytes.toString('latin1', mark + 2, start))
    if (!Number.isSafeInteger(length)) throw new Error('the block has no length')
    const after = bytes.toString('latin1', start + length, start + length + 2)
    if (after === '' || after === '\r') return undefined
    if (!/^\r?\n/.test(after)) throw new Error('the block does not end the line')
    const end = start + length + (after.startsWith('\r') ? 2 : 1)
    return this.#take(mark, bytes.subarray(start, start + length), end)
  }

  #take(textEnd: number, block: Buffer | undefined, end: number): Command {
    const text = this.#rest.toString('latin1', 0, textEnd).trim()
    this.#rest = this.#rest.subarray(end)
    return { text, block }
  }
}

/** A block without the end of its line. */
export function blockOf(content: Uint8Array | string): Buffer {
  const bytes = Buffer.from(content)
  const length = String(bytes.length)
  return Buffer.concat([Buffer.from(`#${length.length}${length}`), bytes])
}

/** A count or an index of a reply, as a block. */
export function countBlock(count: number): Buffer {
  const bytes = Buffer.alloc(4)
  bytes.writeUInt32LE(count)
  return blockOf(bytes)
}

/** Blocks that follow each other, and the end of the line. */
export function lineOfBlocks(...blocks: readonly Buffer[]): Buffer {
  return Buffer.concat([...blocks, Buffer.from('\r\n')])
}

/** A value as JSON in a block, and the end of the line. */
export function jsonBlock(value: unknown): Buffer {
  return lineOfBlocks(blockOf(JSON.stringify(value)))
}
