import type { Tally } from '../../tally/tally.ts'

/** The bits of a basis state that the final measurements read. */
interface Terminal {
  terminal: readonly { bit: number; clbit: number }[]
}

/** Maximum length of a table of counts, per shot. */
const MAX_TABLE_ENTRIES_PER_SHOT = 16

/** Adds shots that end in the given basis states; `bits` contains their earlier outcomes. */
export function tallyIndices(
  shots: Uint32Array,
  indices: Uint32Array,
  bits: Uint8Array,
  { terminal }: Terminal,
  tally: Tally,
): void {
  const mask = terminal.reduce((all, { bit }) => all | bit, 0)
  const write = (outcome: number) => {
    for (const { bit, clbit } of terminal) bits[clbit] = (outcome & bit) === 0 ? 0 : 1
    return bits
  }
  if (tally.isPerShot) {
    indices.forEach((index, place) => {
      tally.add(write(index), shots.subarray(place, place + 1))
    })
    return
  }
  countEach(indices, mask, (outcome, count) => tally.addMany(write(outcome), count))
}

/** Calls `visit` for each drawn basis state with its number of draws; only the bits of `mask` count. */
function countEach(indices: Uint32Array, mask: number, visit: (state: number, count: number) => void): void {
  const states = mask + 1
  // A table is several times faster than a map where it is not much longer than the list.
  if (states > MAX_TABLE_ENTRIES_PER_SHOT * indices.length) {
    const counts = new Map<number, number>()
    for (const index of indices) counts.set(index & mask, (counts.get(index & mask) ?? 0) + 1)
    for (const [state, count] of counts) visit(state, count)
    return
  }
  const table = new Uint32Array(states)
  // Indexed access: an iterator takes as long as the rest of a small circuit.
  for (let place = 0; place < indices.length; place++) {
    const state = (indices[place] as number) & mask
    table[state] = (table[state] as number) + 1
  }
  for (let state = 0; state < states; state++) {
    const count = table[state] as number
    if (count > 0) visit(state, count)
  }
}
