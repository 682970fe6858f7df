import { fitProcess } from '../../../src/devices/fitting/models/process-tomography.ts'
import type { Rng } from '../../../src/simulator/index.ts'
import { finished } from './finished.ts'
import { between, compare, type TrialKind } from './trials.ts'

type Complex = readonly [re: number, im: number]
const multiply = ([a, b]: Complex, [c, d]: Complex): Complex => [a * c - b * d, a * d + b * c]
const H = Math.SQRT1_2

/** Amplitudes of 0, 1, + and +i. */
const STATES: readonly (readonly Complex[])[] = [
  [
    [1, 0],
    [0, 0],
  ],
  [
    [0, 0],
    [1, 0],
  ],
  [
    [H, 0],
    [H, 0],
  ],
  [
    [H, 0],
    [0, H],
  ],
]
/** Rows that turn the eigenstates of X, Y and Z into 0 and 1. */
const TURNS: readonly (readonly (readonly Complex[])[])[] = [
  [
    [
      [H, 0],
      [H, 0],
    ],
    [
      [H, 0],
      [-H, 0],
    ],
  ],
  [
    [
      [H, 0],
      [0, -H],
    ],
    [
      [H, 0],
      [0, H],
    ],
  ],
  [
    [
      [1, 0],
      [0, 0],
    ],
    [
      [0, 0],
      [1, 0],
    ],
  ],
]

const zero: Complex = [0, 0]
const add = ([a, b]: Complex, [c, d]: Complex): Complex => [a + c, b + d]

/** Probabilities of 00, 01, 10, 11 after preparing, a CZ with a wrong phase, and measuring in a basis. */
function probabilities(preparation: number, basis: number, phase: number): number[] {
  const [left = [], right = []] = [STATES[preparation >> 2], STATES[preparation & 3]]
  const state = left.flatMap((a) => right.map((b) => multiply(a, b)))
  state[3] = multiply(state[3] ?? zero, [Math.cos(phase), Math.sin(phase)])
  const [one = [], two = []] = [TURNS[Math.floor(basis / 3)], TURNS[basis % 3]]
  return [0, 1, 2, 3].map((outcome) => {
    let sum = zero
    for (const [at, amplitude] of state.entries()) {
      const factor = multiply(one[outcome >> 1]?.[at >> 1] ?? zero, two[outcome & 1]?.[at & 1] ?? zero)
      sum = add(sum, multiply(factor, amplitude))
    }
    return sum[0] ** 2 + sum[1] ** 2
  })
}

function sample(rng: Rng, shares: readonly number[], shots: number): number[] {
  const counts = shares.map(() => 0)
  for (let shot = 0; shot < shots; shot++) {
    let lot = rng.next()
    const outcome = shares.findIndex((share) => {
      lot -= share
      return lot < 0
    })
    const at = outcome === -1 ? shares.length - 1 : outcome
    counts[at] = (counts[at] ?? 0) + 1
  }
  return counts
}

/**
 * Tomography of a CZ with a wrong phase, depolarization and misread states; without a signal, equal outcomes.
 */
export const TOMOGRAPHY_TRIAL: TrialKind = {
  name: 'process tomography, 144 × 512 shots',
  tolerance: 'fidelity 0.02',
  prepare(rng, hasSignal) {
    const [error, depolarized] = [between(rng, -0.3, 0.3), hasSignal ? between(rng, 0, 0.08) : 1]
    const misread = [0, 1].map(() => [between(rng, 0.01, 0.04), between(rng, 0.02, 0.08)])
    const assignments = misread.map(([a = 0, b = 0]) => [
      [1 - a, a],
      [b, 1 - b],
    ])
    const counts = Array.from({ length: 16 }, (_, preparation) =>
      Array.from({ length: 9 }, (_, basis) => {
        const ideal = probabilities(preparation, basis, Math.PI + error)
        const shares = ideal.map((share) => (1 - depolarized) * share + depolarized / 4)
        const read = [0, 1, 2, 3].map((reading) =>
          shares.reduce(
            (sum, share, state) =>
              sum +
              share *
                (assignments[0]?.[state >> 1]?.[reading >> 1] ?? 0) *
                (assignments[1]?.[state & 1]?.[reading & 1] ?? 0),
            0,
          ),
        )
        return sample(rng, read, 512)
      }),
    )
    const process = ((3 + Math.cos(error)) ** 2 + Math.sin(error) ** 2) / 16
    const fidelity = (4 * ((1 - depolarized) * process + depolarized / 16) + 1) / 5
    return () => compare(finished(fitProcess({ counts, assignments })), { fidelity: [fidelity, 0.02] })
  },
}
