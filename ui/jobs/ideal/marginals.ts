import { totalOf } from '../counts.ts'

type Counts = Readonly<Record<string, number>>

/** What a reader typed about the bits of a register: what it means, or what is wrong with it. */
export type Typed<T> = { value: T } | { problem: string }

/** The number of bits of outcomes; undefined without counts, or if their lengths differ. */
export function widthOf(counts: Counts): number | undefined {
  const widths = new Set(Object.keys(counts).map(({ length }) => length))
  return widths.size === 1 ? [...widths][0] : undefined
}

/** Bits such as `0, 2, 5-7`, in ascending order; none if nothing is typed. */
export function parseBits(text: string, width: number): Typed<readonly number[]> {
  const bits = new Set<number>()
  for (const part of text.split(/[\s,]+/).filter((each) => each !== '')) {
    const [, from = '', to = from] = /^(\d{1,6})(?:-(\d{1,6}))?$/.exec(part) ?? []
    const [first, last] = [Number(from), Number(to)]
    if (from === '' || first > last)
      return { problem: `“${part}” is not a bit; write bits such as 0, 2, 5-7.` }
    if (last >= width) return { problem: `There is no bit ${last}; the bits are 0 to ${width - 1}.` }
    for (let bit = first; bit <= last; bit++) bits.add(bit)
  }
  return { value: [...bits].sort((one, other) => one - other) }
}

/** The counts of some bits, whatever the others are; of all bits if none is given. */
export function marginalOf(counts: Counts, bits: readonly number[]): Record<string, number> {
  if (bits.length === 0) return counts
  const found: Record<string, number> = {}
  for (const [outcome, count] of Object.entries(counts)) {
    const kept = bits
      .map((bit) => outcome.charAt(outcome.length - 1 - bit))
      .reverse()
      .join('')
    found[kept] = (found[kept] ?? 0) + count
  }
  return found
}

/** The bits of a Pauli string of Z and I such as `ZIZ`, whose last letter is bit 0, or of `Z0 Z2`. */
export function parsePauliZ(text: string, width: number): Typed<readonly number[]> {
  const letters = text.trim().toUpperCase()
  if (/^Z\d/.test(letters)) {
    const parts = letters.replaceAll(/[\s,*·]*Z(?=\d)/g, ' ')
    return parseBits(parts, width)
  }
  if (!/^[ZI]+$/.test(letters)) return { problem: 'Write Z and I, such as ZIZ, or bits such as Z0 Z2.' }
  if (letters.length !== width)
    return { problem: `${letters.length} letters for ${width} bits; write one letter for each bit.` }
  return { value: [...letters].reverse().flatMap((letter, bit) => (letter === 'Z' ? [bit] : [])) }
}

/**
 * The mean of the product of (−1)^bit over the given bits, with the standard error of the shots,
 * √((1 − mean²) / shots). 0 and no error without counts.
 */
export function expectationOf(counts: Counts, bits: readonly number[]): { mean: number; error: number } {
  const shots = totalOf(counts)
  if (shots === 0) return { mean: 0, error: 0 }
  let sum = 0
  for (const [outcome, count] of Object.entries(counts)) {
    const ones = bits.filter((bit) => outcome.charAt(outcome.length - 1 - bit) === '1').length
    sum += ones % 2 === 0 ? count : -count
  }
  const mean = sum / shots
  return { mean, error: Math.sqrt(Math.max(0, 1 - mean ** 2) / shots) }
}

/** The Hellinger fidelity (Σ√(pq))² of two distributions, each scaled to 1; 1 if they are equal. */
export function hellingerFidelity(first: Counts, second: Counts): number {
  const [sumOfFirst, sumOfSecond] = [totalOf(first), totalOf(second)]
  if (sumOfFirst === 0 || sumOfSecond === 0) return 0
  let overlap = 0
  for (const [outcome, count] of Object.entries(first))
    overlap += Math.sqrt((count / sumOfFirst) * ((second[outcome] ?? 0) / sumOfSecond))
  return Math.min(1, overlap) ** 2
}
