/** The single bits of a mask, lowest first. */
export function bitsOf(mask: number): number[] {
  const bits: number[] = []
  for (let rest = mask; rest !== 0; rest &= rest - 1) bits.push(rest & -rest)
  return bits
}

/** Number of set bits of a 32-bit integer. */
export function bitCount(mask: number): number {
  let count = 0
  for (let rest = mask; rest !== 0; rest &= rest - 1) count++
  return count
}
