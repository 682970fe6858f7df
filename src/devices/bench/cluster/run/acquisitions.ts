import { ClusterError, type ReplyBytes } from '../connection/reply.ts'

/** What an acquisition of a sequencer has recorded. */
export interface RecordedAcquisition {
  name: string
  bins: BinTable
  /** Sums of the samples of the two paths over all repetitions, one a ns. */
  scope: readonly ScopePath[]
}

interface ScopePath {
  samples: Int32Array
  repetitions: number
}

/** Bytes of a bin: valid u64, I i64, Q i64, threshold u32, count u32. */
const BIN_BYTES = 32
const MAX_ACQUISITIONS = 32
/** Paths of the scope of a module with two converters, and of one with four. */
const SCOPE_PATHS = { QRM: 2, QRC: 4 } as const

/** The bins of one acquisition, as the module wrote them. */
export class BinTable {
  readonly #view: DataView
  readonly length: number

  /** @throws ClusterError for a block that holds no whole number of bins. */
  constructor(block: Uint8Array) {
    if (block.length % BIN_BYTES !== 0) {
      throw new ClusterError(`${block.length} bytes of bins are no multiple of ${BIN_BYTES}`)
    }
    this.#view = new DataView(block.buffer, block.byteOffset, block.byteLength)
    this.length = block.length / BIN_BYTES
  }

  /** How often a bin was written; 0 for one that was not, or that the module calls invalid. */
  count(bin: number): number {
    const at = bin * BIN_BYTES
    return this.#view.getUint32(at, true) === 0 ? 0 : this.#view.getUint32(at + 28, true)
  }

  /** Sum of the first path over windows and repetitions, in steps of the multiplier. */
  i(bin: number): number {
    return this.#integer(bin * BIN_BYTES + 8)
  }

  /** Sum of the second path. */
  q(bin: number): number {
    return this.#integer(bin * BIN_BYTES + 16)
  }

  /** An i64; sums stay far below 2⁵³, and a BigInt would take ten times as long. */
  #integer(at: number): number {
    return this.#view.getInt32(at + 4, true) * 2 ** 32 + this.#view.getUint32(at, true)
  }
}

/**
 * Reads a reply to `ACQ:ALISt?`: the number of acquisitions, then blocks for each: its name, its index, the
 * samples, range flag and repetitions of each scope path, and its bins. One line ends it all.
 */
export function readAcquisitions(isQrc: boolean) {
  return async (reply: ReplyBytes): Promise<RecordedAcquisition[]> => {
    const count = await readCount(reply)
    if (count > MAX_ACQUISITIONS) throw new ClusterError(`${count} acquisitions of one sequencer`)
    const recorded: RecordedAcquisition[] = []
    for (let each = 0; each < count; each++) {
      const name = (await reply.block()).toString('utf8')
      await reply.block()
      const scope: ScopePath[] = []
      for (let path = 0; path < SCOPE_PATHS[isQrc ? 'QRC' : 'QRM']; path++) scope.push(await readPath(reply))
      recorded.push({ name, scope, bins: new BinTable(await reply.block()) })
    }
    await reply.line()
    return recorded
  }
}

async function readPath(reply: ReplyBytes): Promise<ScopePath> {
  const block = await reply.block()
  // The flag of values out of range is in the state of the sequencer as well.
  await reply.block()
  const repetitions = await readCount(reply)
  const view = new DataView(block.buffer, block.byteOffset, block.byteLength)
  const samples = Int32Array.from({ length: Math.floor(block.length / 4) }, (_, at) =>
    view.getInt32(4 * at, true),
  )
  return { samples, repetitions }
}

async function readCount(reply: ReplyBytes): Promise<number> {
  const block = await reply.block()
  if (block.length !== 4) throw new ClusterError(`a count of ${block.length} bytes`)
  return block.readUInt32LE()
}
