import { blockOf, countBlock, lineOfBlocks } from '../protocol/commands.ts'
import { Refusal } from '../protocol/error-queue.ts'
import { numberArgument, type Table } from '../protocol/table.ts'

/** What the scope of a module has recorded on one path: sums over the repetitions. */
export interface ScopePath {
  samples: Int32Array
  isOutOfRange: boolean
  repetitions: number
}

interface StoredAcquisition {
  index: number
  bins: Bins
  scope: readonly ScopePath[]
}

const BIN_BYTES = 32
const MAX_ACQUISITIONS = 32
/** Steps of a sum in one unit of full scale. */
const STEPS_PER_UNIT = 2 ** 22

/** Sums of what was recorded, a bin each. */
export class Bins {
  readonly bytes: Buffer

  constructor(count: number) {
    this.bytes = Buffer.alloc(count * BIN_BYTES)
  }

  get count(): number {
    return this.bytes.length / BIN_BYTES
  }

  /**
   * Adds recordings to a bin.
   * @param i sum over the windows, in units of full scale
   * @param ones how many were above the threshold
   * @param recordings how many there are
   */
  add(
    bin: number,
    { i, q, ones, recordings }: { i: number; q: number; ones: number; recordings: number },
  ): void {
    const at = bin * BIN_BYTES
    const { bytes } = this
    bytes.writeBigUInt64LE(1n, at)
    const sum = (from: number, value: number) =>
      bytes.writeBigInt64LE(bytes.readBigInt64LE(from) + BigInt(Math.round(value * STEPS_PER_UNIT)), from)
    sum(at + 8, i)
    sum(at + 16, q)
    bytes.writeUInt32LE(bytes.readUInt32LE(at + 24) + ones, at + 24)
    bytes.writeUInt32LE(bytes.readUInt32LE(at + 28) + recordings, at + 28)
  }
}

/** The acquisitions in the memory of a sequencer. */
export class AcquisitionList {
  readonly #capacity: number
  readonly #empty: () => readonly ScopePath[]
  readonly #entries = new Map<string, StoredAcquisition>()

  /** @param capacity most bins; @param empty the paths of a scope that has recorded nothing */
  constructor(capacity: number, empty: () => readonly ScopePath[]) {
    this.#capacity = capacity
    this.#empty = empty
  }

  /** The commands; `scopeOf` gives what the scope of the module holds. */
  static table(
    listOf: (sequencer: number) => AcquisitionList,
    scopeOf: () => Promise<readonly ScopePath[] | undefined>,
  ): Table {
    const prefix = 'SEQuencer#:ACQ:ALISt'
    const each = `${prefix}:ACQuisition`
    const of = (numbers: readonly number[]) => listOf(numbers[0] ?? 0)
    return {
      [`${each}:NEW`]: ({ numbers, args }) => of(numbers).#add(args),
      [`${each}:DELete`]: ({ numbers, args }) => of(numbers).#delete(args[0] ?? ''),
      [`${each}:INDex`]: ({ numbers, args }) => of(numbers).#number(args),
      [`${each}:INDex?`]: ({ numbers, args }) => of(numbers).#entry(args[0]).index,
      [`${each}:NUM_BINS?`]: ({ numbers, args }) => of(numbers).#entry(args[0]).bins.count,
      [`${each}:NAME?`]: ({ numbers, args }) => of(numbers).#nameOf(Number(args[0])),
      [`${each}:DATA`]: async ({ numbers, args }) => of(numbers).#storeScope(args[0], await scopeOf()),
      [`${each}:DATA?`]: ({ numbers, args }) => lineOfBlocks(...dataOf(of(numbers).#entry(args[0]))),
      [`${each}:DATA:DELete`]: ({ numbers, args }) => of(numbers).#empties(args[0] ?? ''),
      [`${prefix}:SIZE?`]: ({ numbers }) => of(numbers).#entries.size,
      [`${prefix}?`]: ({ numbers }) => of(numbers).#all(),
    }
  }

  /** Bins by the index of their acquisition. */
  get bins(): ReadonlyMap<number, Bins> {
    return new Map([...this.#entries.values()].map(({ index, bins }) => [index, bins]))
  }

  #entry(name = ''): StoredAcquisition {
    const entry = this.#entries.get(name)
    if (!entry) throw new Refusal(-200, `Acquisition ${name} does not exist in acquisition list.`)
    return entry
  }

  #add([name = '', bins]: readonly string[]): undefined {
    if (this.#entries.has(name)) throw new Refusal(-200, `Acquisition ${name} already in acquisition list.`)
    const used = [...this.#entries.values()].reduce((sum, entry) => sum + entry.bins.count, 0)
    const count = numberArgument(bins, 1, this.#capacity, 1)
    if (used + count > this.#capacity || this.#entries.size >= MAX_ACQUISITIONS) {
      throw new Refusal(-200, 'Acquisition memory is full.')
    }
    const taken = new Set([...this.#entries.values()].map(({ index }) => index))
    let index = 0
    while (taken.has(index)) index++
    this.#entries.set(name, { index, bins: new Bins(count), scope: this.#empty() })
  }

  #delete(name: string): undefined {
    if (name.toLowerCase() === 'all') this.#entries.clear()
    else {
      this.#entry(name)
      this.#entries.delete(name)
    }
  }

  #empties(name: string): undefined {
    const entries = name.toLowerCase() === 'all' ? [...this.#entries.values()] : [this.#entry(name)]
    for (const entry of entries) {
      entry.bins = new Bins(entry.bins.count)
      entry.scope = this.#empty()
    }
  }

  #number([name, index]: readonly string[]): undefined {
    const entry = this.#entry(name)
    const wanted = numberArgument(index, 0, MAX_ACQUISITIONS - 1, 1)
    const owner = [...this.#entries].find(([, each]) => each !== entry && each.index === wanted)
    if (owner) throw new Refusal(-200, `Acquisition index ${wanted} is in use by ${owner[0]}.`)
    entry.index = wanted
  }

  #nameOf(wanted: number): string {
    const found = [...this.#entries].find(([, { index }]) => index === wanted)
    if (!found) throw new Refusal(-200, `Acquisition ${wanted} does not exist in acquisition list.`)
    return found[0]
  }

  #storeScope(name: string | undefined, scope: readonly ScopePath[] | undefined): undefined {
    const entry = this.#entry(name)
    if (scope) entry.scope = scope
  }

  #all(): Buffer {
    const blocks = [...this.#entries].flatMap(([name, entry]) => [
      blockOf(name),
      countBlock(entry.index),
      ...dataOf(entry),
    ])
    return lineOfBlocks(countBlock(this.#entries.size), ...blocks)
  }
}

function dataOf({ bins, scope }: StoredAcquisition): Buffer[] {
  const paths = scope.flatMap(({ samples, isOutOfRange, repetitions }) => [
    blockOf(new Uint8Array(samples.buffer, samples.byteOffset, samples.byteLength)),
    blockOf(Uint8Array.of(isOutOfRange ? 1 : 0)),
    countBlock(repetitions),
  ])
  return [...paths, blockOf(bins.bytes)]
}
