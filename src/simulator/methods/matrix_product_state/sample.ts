import type { MethodRun } from '../../define-method.ts'
import { type Block, zeros } from '../../numeric/matrix.ts'
import { PURPOSE } from '../../numeric/random.ts'
import type { TensorChain } from './tensor-chain.ts'

/** Work of a site besides multiplications, and of each of its shots, in amplitude updates. */
const GROUP_WORK = 1_024
const SHOT_WORK = 256
/** Below the resolution of random numbers: a value that rounding alone makes possible. */
const LEAST_SHARE = 2 ** -53
/** Groups whose vectors are extended together. */
const MAX_GROUPS = 256

/** Shots with equal values of the first sites. */
interface Group {
  /** Values so far, by qubit. */
  values: Uint8Array
  shots: Uint32Array
}

/** Groups at the same site. */
interface Batch {
  site: number
  groups: Group[]
  /** The vectors of the sites so far: as many rows for each group as the bond before the first site has. */
  vectors: Block
}

/**
 * Draws a value of qubits for each shot, site by site: each value has its conditional probability given the
 * earlier values (Ferris and Vidal, Physical Review B 85, 165146, 2012). Shots with equal values so far share
 * the work; sites behind the last one of `measured` are left out.
 */
export async function sampleAll(
  chain: TensorChain,
  shots: Uint32Array,
  run: MethodRun,
  measured: readonly number[],
  add: (values: Uint8Array, shots: Uint32Array) => void,
): Promise<void> {
  const { timeBudget } = run
  const values = new Uint8Array(chain.qubitIndexLimit)
  const sites = measured.map((qubit) => chain.siteOf(qubit))
  const last = Math.max(-1, ...sites)
  const first = firstSite(chain, Math.min(last, ...sites), last, shots.length)
  const waiting: Batch[] = [{ site: first, groups: [{ values, shots }], vectors: startOf(chain, first) }]
  for (let batch = waiting.pop(); batch; batch = waiting.pop()) {
    const { site, groups } = batch
    timeBudget.spend(GROUP_WORK * groups.length)
    if (site > last) for (const group of groups) add(group.values, group.shots)
    else waiting.push(...extended(chain, batch, run))
    if (timeBudget.isYieldDue) await timeBudget.yieldIfDue()
  }
}

/**
 * Where sampling begins: at the first measured site, with a row for each value of the bond before it, over
 * which probabilities are summed, or at the first of all, where one row suffices and further values are
 * drawn.
 */
function firstSite(chain: TensorChain, measured: number, last: number, shots: number): number {
  if (measured <= 0) return Math.max(0, measured)
  const groups = (span: number) => span * Math.min(2 ** span, shots)
  return chain.bondBefore(measured) * groups(last - measured + 1) <= groups(last + 1) ? measured : 0
}

/** The basis of the bond before a site, which becomes the center. */
function startOf(chain: TensorChain, site: number): Block {
  if (site >= chain.sites) return zeros(1, 1)
  chain.center(site)
  const bond = chain.bondBefore(site)
  const vectors = zeros(bond, bond)
  for (let at = 0; at < bond; at++) vectors.data[2 * at * (bond + 1)] = 1
  return vectors
}

/** The groups after the next site, in batches. */
function extended(chain: TensorChain, { site, groups, vectors }: Batch, run: MethodRun): Batch[] {
  const qubit = chain.qubitAt(site)
  const { data, columns } = chain.extend(site, vectors)
  const rows = vectors.rows / groups.length
  const room = Math.min(MAX_GROUPS, 2 * groups.length)
  const writer = new BatchWriter(site + 1, room, rows, columns / 2)
  for (const [index, { values, shots }] of groups.entries()) {
    const from = index * rows
    const zero = weightOfHalf(data, columns, from, rows, 0)
    const one = weightOfHalf(data, columns, from, rows, 1)
    const { ones, zeros: others } = draw(shots, one / (zero + one), site, run)
    run.timeBudget.spend(SHOT_WORK * shots.length)
    if (ones.length > 0) {
      // A copy while another group still uses the values.
      const own = others.length > 0 ? values.slice() : values
      own[qubit] = 1
      writer.add({ values: own, shots: ones }, data, from, 1, one)
    }
    if (others.length > 0) writer.add({ values, shots: others }, data, from, 0, zero)
  }
  return writer.end()
}

/** Draws 1 with probability `share`, or 0, for each shot. */
function draw(shots: Uint32Array, share: number, site: number, { rng, stream }: MethodRun) {
  if (share < LEAST_SHARE) return { ones: shots.subarray(0, 0), zeros: shots }
  if (1 - share < LEAST_SHARE) return { ones: shots, zeros: shots.subarray(0, 0) }
  const ones = new Uint32Array(shots.length)
  const zeros = new Uint32Array(shots.length)
  let count = 0
  for (let at = 0; at < shots.length; at++) {
    const shot = shots[at] as number
    rng.seek(stream, shot, PURPOSE.measurement, site)
    if (rng.next() < share) ones[count++] = shot
    else zeros[at - count] = shot
  }
  return { ones: ones.subarray(0, count), zeros: zeros.subarray(0, shots.length - count) }
}

/** Collects groups with their vectors. */
class BatchWriter {
  readonly #batches: Batch[] = []
  readonly #site: number
  readonly #room: number
  readonly #rows: number
  readonly #columns: number

  /** Each batch has `room` groups at most, each group `rows` rows. */
  constructor(site: number, room: number, rows: number, columns: number) {
    this.#site = site
    this.#room = room
    this.#rows = rows
    this.#columns = columns
  }

  /**
   * Adds a group: half `value` of its rows of `data` from row `from` on, divided by the root of its weight.
   */
  add(group: Group, data: Float64Array, from: number, value: 0 | 1, weight: number): void {
    let batch = this.#batches.at(-1)
    if (!batch || batch.groups.length === this.#room) {
      batch = { site: this.#site, groups: [], vectors: zeros(this.#room * this.#rows, this.#columns) }
      this.#batches.push(batch)
    }
    const { vectors, groups } = batch
    const length = 2 * this.#columns
    const factor = 1 / Math.sqrt(weight)
    let to = groups.length * this.#rows * length
    for (let row = from; row < from + this.#rows; row++) {
      let at = (2 * row + value) * length
      for (const end = at + length; at < end; at++) vectors.data[to++] = factor * (data[at] as number)
    }
    groups.push(group)
  }

  end(): Batch[] {
    for (const { vectors, groups } of this.#batches) {
      vectors.rows = groups.length * this.#rows
      vectors.data = vectors.data.subarray(0, 2 * vectors.rows * vectors.columns)
    }
    return this.#batches
  }
}

/** Σ |element|² of half `value` of rows. */
function weightOfHalf(
  data: Float64Array,
  columns: number,
  from: number,
  rows: number,
  value: number,
): number {
  let sum = 0
  for (let row = from; row < from + rows; row++) {
    let at = (2 * row + value) * columns
    for (const end = at + columns; at < end; at++) sum += (data[at] as number) ** 2
  }
  return sum
}
