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

/**
 * Transposes 32 x 32 bits in place: bit j of row i becomes bit i of row j (Warren, "Hacker's Delight",
 * section 7-3, with the lowest bit first).
 */
export function transpose(rows: Uint32Array): void {
  for (let width = 16, mask = 0xffff; width > 0; width >>= 1, mask ^= mask << width) {
    for (let row = 0; row < 32; row = ((row | width) + 1) & ~width) {
      const low = rows[row] as number
      const high = rows[row | width] as number
      const moved = ((low >>> width) ^ high) & mask
      rows[row | width] = high ^ moved
      rows[row] = low ^ (moved << width)
    }
  }
}
