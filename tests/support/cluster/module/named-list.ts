import { blockOf, countBlock, lineOfBlocks } from '../protocol/commands.ts'
import { Refusal } from '../protocol/error-queue.ts'
import { numberArgument, type Table } from '../protocol/table.ts'

/** Samples with the number by which programs refer to them. */
interface Entry {
  index: number
  length: number
  samples: Float32Array
}

interface ListKind {
  /** Start of its commands: `AWG:WLISt:WAVeform`. */
  command: string
  /** What an entry is in messages. */
  what: string
  /** Most samples of all entries together, and the largest index. */
  capacity: number
  maxIndex: number
}

/** The waveforms or weights in the memory of a sequencer. */
export class NamedList {
  readonly #kind: ListKind
  readonly #entries = new Map<string, Entry>()

  constructor(kind: ListKind) {
    this.#kind = kind
  }

  /** Samples by index. */
  get samples(): ReadonlyMap<number, Float32Array> {
    return new Map([...this.#entries.values()].map(({ index, samples }) => [index, samples]))
  }

  /** Its commands, as those of the sequencer that `listOf` gives. */
  static table(command: string, listOf: (sequencer: number) => NamedList): Table {
    const prefix = `SEQuencer#:${command}`
    const parent = prefix.slice(0, prefix.lastIndexOf(':'))
    const of = (numbers: readonly number[]) => listOf(numbers[0] ?? 0)
    return {
      [`${prefix}:NEW`]: ({ numbers, args }) => of(numbers).#add(args),
      [`${prefix}:DELete`]: ({ numbers, args }) => of(numbers).#delete(args[0] ?? ''),
      [`${prefix}:DATA`]: ({ numbers, args, block }) => of(numbers).#write(args[0] ?? '', block),
      [`${prefix}:DATA?`]: ({ numbers, args }) => lineOfBlocks(blockOf(bytesOf(of(numbers).#entry(args[0])))),
      [`${prefix}:INDex`]: ({ numbers, args }) => of(numbers).#number(args),
      [`${prefix}:INDex?`]: ({ numbers, args }) => of(numbers).#entry(args[0]).index,
      [`${prefix}:LENGth?`]: ({ numbers, args }) => of(numbers).#entry(args[0]).length,
      [`${prefix}:NAME?`]: ({ numbers, args }) => of(numbers).#nameOf(Number(args[0])),
      [`${parent}:SIZE?`]: ({ numbers }) => of(numbers).#entries.size,
      [`${parent}?`]: ({ numbers }) => of(numbers).#all(),
    }
  }

  #entry(name = ''): Entry {
    const entry = this.#entries.get(name)
    if (!entry) throw new Refusal(-200, `${this.#kind.what} ${name} does not exist.`)
    return entry
  }

  #add([name = '', length]: readonly string[]): undefined {
    if (this.#entries.has(name)) throw new Refusal(-200, `${this.#kind.what} ${name} exists already.`)
    const used = [...this.#entries.values()].reduce((sum, each) => sum + each.length, 0)
    const free = this.#kind.capacity - used
    const samples = numberArgument(length, 1, this.#kind.capacity, 1)
    if (samples > free) throw new Refusal(-200, `${this.#kind.what} memory is full.`)
    this.#entries.set(name, { index: this.#freeIndex(), length: samples, samples: new Float32Array(samples) })
  }

  #freeIndex(): number {
    const taken = new Set([...this.#entries.values()].map(({ index }) => index))
    let index = 0
    while (taken.has(index)) index++
    return index
  }

  #delete(name: string): undefined {
    if (name.toLowerCase() === 'all') this.#entries.clear()
    else {
      this.#entry(name)
      this.#entries.delete(name)
    }
  }

  #write(name: string, block: Buffer): undefined {
    const entry = this.#entry(name)
    if (block.length !== 4 * entry.length) throw new Refusal(-161, 'Invalid block data')
    const samples = Float32Array.from({ length: entry.length }, (_, at) => block.readFloatLE(4 * at))
    if (samples.some((sample) => !(Math.abs(sample) <= 1))) throw new Refusal(-222, 'Data out of range')
    entry.samples = samples
  }

  #number([name, index]: readonly string[]): undefined {
    const entry = this.#entry(name)
    const wanted = numberArgument(index, 0, this.#kind.maxIndex, 1)
    const owner = [...this.#entries].find(([, each]) => each !== entry && each.index === wanted)
    if (owner) throw new Refusal(-200, `${this.#kind.what} index ${wanted} is in use by ${owner[0]}.`)
    entry.index = wanted
  }

  #nameOf(wanted: number): string {
    const found = [...this.#entries].find(([, { index }]) => index === wanted)
    if (!found) throw new Refusal(-200, `${this.#kind.what} ${wanted} does not exist.`)
    return found[0]
  }

  #all(): Buffer {
    const blocks = [...this.#entries].flatMap(([name, entry]) => [
      blockOf(name),
      countBlock(entry.index),
      blockOf(bytesOf(entry)),
    ])
    return lineOfBlocks(countBlock(this.#entries.size), ...blocks)
  }
}

function bytesOf({ samples }: Entry): Uint8Array {
  return new Uint8Array(samples.buffer)
}
