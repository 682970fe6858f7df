import { type Circuit, FIRST_OUTCOME, runDynamic, UNDETERMINED } from '../../qasm/index.ts'
import type { Execution } from '../../simulator/index.ts'

/** How the bits of a result follow from the outcomes that an instrument returns. */
export interface ResultBits {
  /** Number of outcomes of a shot. */
  outcomes: number
  /** By classical bit: the outcome that it holds, or -1 for none. */
  held: readonly number[]
  /** The bits of a shot with these outcomes. */
  bitsOf(outcomes: Uint8Array): Uint8Array
}

/** The outcomes of a circuit are its bits, unless it copies, computes or sets these. */
export function resultBitsOf({ clbits, computed }: Circuit, execution: Execution): ResultBits {
  if (!computed) {
    const held = Array.from({ length: clbits }, (_, clbit) => clbit)
    return { outcomes: clbits, held, bitsOf: (outcomes) => outcomes }
  }
  const { measurements, states } = computed
  const held = states.map((state) => Math.max(-1, state - FIRST_OUTCOME))
  const copy = (outcomes: Uint8Array) =>
    Uint8Array.from(states, (state) =>
      state < FIRST_OUTCOME ? state : (outcomes[state - FIRST_OUTCOME] ?? 0),
    )
  const bitsOf = states.includes(UNDETERMINED) ? computeBits(execution) : copy
  return { outcomes: measurements, held, bitsOf }
}

/** Executes the program for outcomes that no earlier shot had. */
function computeBits({ program, values }: Execution): (outcomes: Uint8Array) => Uint8Array {
  const known = new Map<string, Uint8Array>()
  return (outcomes) => {
    const key = outcomes.join('')
    const found = known.get(key)
    if (found) return found
    let next = 0
    const bits = runDynamic(program, values, {
      apply: () => undefined,
      measure: () => (outcomes[next++] === 1 ? 1 : 0),
    })
    known.set(key, bits)
    return bits
  }
}
