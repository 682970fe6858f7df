import { describe, expect, test } from 'bun:test'
import { survivalReading } from '../../../../../src/devices/tuning/measure/pair/pair-remainder.ts'

const STATES = [0, 1, 2, 3]
/** Of each qubit, how often 0 is read of 0 and of 1. */
const READ = [
  [0.98, 0.07],
  [0.95, 0.04],
] as const

type Shares = readonly number[]
type Left = readonly [parent: number, child: number]

/** What shots start with and end in, when each begins with what the wait leaves of the one before. */
function settled(sequence: (start: Shares) => Shares, left: Left): Shares {
  // After the wait, a qubit in 1 is in 1 with the share that is left of it.
  const stays = (qubit: 0 | 1, from: number, to: number) => {
    const [was, is] = [(from >> (1 - qubit)) & 1, (to >> (1 - qubit)) & 1]
    if (was === 0) return is === 0 ? 1 : 0
    return is === 1 ? left[qubit] : 1 - left[qubit]
  }
  let end: Shares = [1, 0, 0, 0]
  for (let shot = 0; shot < 200; shot++) {
    const before = end
    end = sequence(
      STATES.map((to) =>
        STATES.reduce((sum, from) => sum + (before[from] ?? 0) * stays(0, from, to) * stays(1, from, to), 0),
      ),
    )
  }
  return end
}

const readAs00 = (shares: Shares) =>
  STATES.reduce(
    (sum, state) =>
      sum + (shares[state] ?? 0) * READ[0][state >> 1 === 0 ? 0 : 1] * READ[1][state & 1 ? 1 : 0],
    0,
  )

/** How often 0 is read of a qubit beside another one that stays in 0. */
const readAs0 = (qubit: 0 | 1, left: Left, flipped: 0 | 1 | 2 | 3) => {
  const end = settled((start) => STATES.map((state) => start[state ^ flipped] ?? 0), left)
  return STATES.reduce(
    (sum, state) => sum + (end[state] ?? 0) * READ[qubit][(state >> (1 - qubit)) & 1 ? 1 : 0],
    0,
  )
}

describe('the survival of random sequences of a pair', () => {
  test.each([
    [[0, 0]],
    [[0.018, 0.018]],
    [[0.018, 0]],
    [[0.05, 0.002]],
    // The states of the readout began with a reading, the sequences waited.
    [
      [0, 0],
      [0.018, 0.05],
    ],
  ] as [Left, Left?][])(
    'is free of what each shot of readout and sequence finds: %p %p',
    (left, remaining = left) => {
      const assignments = ([0, 1] as const).map((qubit) =>
        ([0, qubit === 0 ? 2 : 1] as const).map((flipped) => {
          const zero = readAs0(qubit, left, flipped)
          return [zero, 1 - zero]
        }),
      )
      const { base, withoutRemainder } = survivalReading({ assignments }, left)
      expect(base).toBeCloseTo(readAs00([0.25, 0.25, 0.25, 0.25]), 6)
      for (const kept of [1, 0.7, 0.3, 0]) {
        const ending = (start: Shares) => start.map((share) => kept * share + (1 - kept) / 4)
        const measured = readAs00(settled(ending, remaining))
        expect(withoutRemainder(measured, remaining)).toBeCloseTo(readAs00(ending([1, 0, 0, 0])), 6)
      }
    },
  )
})
