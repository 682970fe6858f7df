import type { JobNeeds } from '../fits-qpu.ts'

/** Numbers in one part of a line; a longer one is divided. */
const PART_LENGTH = 1_024

/**
 * The numbers (`seq`) of jobs in ascending order. With 10^5 of them, each method takes about a microsecond.
 */
export class Line implements Iterable<number> {
  /** Sorted, each after the one before it; only the first may be empty. */
  readonly #parts: number[][] = [[]]

  get isEmpty(): boolean {
    return this.#parts[0]?.length === 0
  }

  add(seq: number): void {
    const { at, part, index } = this.#end(seq) ?? this.#find(seq)
    if (part[index] === seq) return
    part.splice(index, 0, seq)
    if (part.length > PART_LENGTH) this.#parts.splice(at + 1, 0, part.splice(PART_LENGTH / 2))
  }

  remove(seq: number): void {
    const { at, part, index } = this.#find(seq)
    if (part[index] !== seq) return
    part.splice(index, 1)
    if (part.length === 0 && this.#parts.length > 1) this.#parts.splice(at, 1)
  }

  /** How many are smaller than `seq`. */
  countBefore(seq: number): number {
    const { before, index } = this.#find(seq)
    return before + index
  }

  *[Symbol.iterator](): Generator<number> {
    for (const part of this.#parts) yield* part
  }

  /** The end of the last part, if the number comes after all others. */
  #end(seq: number): { at: number; part: number[]; index: number } | undefined {
    const at = this.#parts.length - 1
    const part = this.#parts[at] ?? []
    return (part.at(-1) ?? 0) < seq ? { at, part, index: part.length } : undefined
  }

  /** Where the number is or would be, and how many are in the parts before that. */
  #find(seq: number): { at: number; part: number[]; index: number; before: number } {
    const last = this.#parts.length - 1
    let before = 0
    for (let at = 0; ; at += 1) {
      const part = this.#parts[at] ?? []
      if (at === last || (part.at(-1) ?? 0) >= seq) return { at, part, index: placeOf(part, seq), before }
      before += part.length
    }
  }
}

/** The index of the first number that is not smaller. */
function placeOf(numbers: readonly number[], seq: number): number {
  let [low, high] = [0, numbers.length]
  while (low < high) {
    const middle = (low + high) >> 1
    if ((numbers[middle] ?? 0) < seq) low = middle + 1
    else high = middle
  }
  return low
}

/** Jobs in a line, and apart those that need the same: what a QPU cannot run is subtracted in one step. */
export class Lane {
  readonly seqs = new Line()
  readonly #byNeeds = new Map<string, { needs: JobNeeds; seqs: Line }>()

  add({ seq, needs }: { seq: number; needs: JobNeeds }): void {
    const key = keyOf(needs)
    const same = this.#byNeeds.get(key) ?? { needs, seqs: new Line() }
    this.#byNeeds.set(key, same)
    same.seqs.add(seq)
    this.seqs.add(seq)
  }

  remove({ seq, needs }: { seq: number; needs: JobNeeds }): void {
    const key = keyOf(needs)
    const same = this.#byNeeds.get(key)
    same?.seqs.remove(seq)
    if (same?.seqs.isEmpty) this.#byNeeds.delete(key)
    this.seqs.remove(seq)
  }

  /** How many jobs before `seq` fit. */
  countBefore(seq: number, fits: (needs: JobNeeds) => boolean): number {
    let unfit = 0
    for (const { needs, seqs } of this.#byNeeds.values()) if (!fits(needs)) unfit += seqs.countBefore(seq)
    return this.seqs.countBefore(seq) - unfit
  }
}

function keyOf({ qubits, shots, executions, features }: JobNeeds): string {
  return `${qubits} ${shots} ${executions} ${features}`
}

/** The numbers of two lines in ascending order. */
export function* merged(one: Iterable<number>, other: Iterable<number>): Generator<number> {
  const [ones, others] = [one[Symbol.iterator](), other[Symbol.iterator]()]
  let [left, right] = [ones.next(), others.next()]
  while (!left.done && !right.done) {
    if (left.value < right.value) {
      yield left.value
      left = ones.next()
    } else {
      yield right.value
      right = others.next()
    }
  }
  for (; !left.done; left = ones.next()) yield left.value
  for (; !right.done; right = others.next()) yield right.value
}
