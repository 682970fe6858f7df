import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { FRACTION_UNIT, Progression } from '../../../../../src/devices/bench/sequencer/loops/progression.ts'
import { STEPS_PER_TURN } from '../../../../../src/devices/bench/sequencer/sequence.ts'

function progressionOf(values: readonly number[], kind: 'word' | 'phase' = 'word') {
  const progression = new Progression(values[0] ?? 0, kind)
  return { progression, isWhole: values.slice(1).every((value) => progression.add(value)) }
}

/** The values of a register that a sweep runs through. */
function played(first: number, count: number, progression: Progression): number[] {
  const sweep = progression.sweep()
  if (!sweep) throw new Error('no sweep')
  let [value, remainder] = [first, sweep.remainder]
  return Array.from({ length: count }, () => {
    const present = value
    value += sweep.step
    remainder += sweep.fraction
    if (remainder >= FRACTION_UNIT) {
      remainder -= FRACTION_UNIT
      value += 1
    }
    return present
  })
}

describe('Progression', () => {
  test('equal steps are followed without a remainder', () => {
    const { progression, isWhole } = progressionOf([-20, -13, -6, 1, 8])
    expect(isWhole).toBe(true)
    expect(progression.sweep()).toEqual({ step: 7, fraction: 0, remainder: 0 })
  })

  test('every rounded line is followed exactly', () => {
    fc.assert(
      fc.property(
        fc.double({ min: -30_000, max: 30_000, noNaN: true }),
        fc.double({ min: -500, max: 500, noNaN: true }),
        fc.integer({ min: 3, max: 200 }),
        (start, step, count) => {
          const values = Array.from({ length: count }, (_, at) => Math.floor(start + step * at))
          const { progression, isWhole } = progressionOf(values)
          expect(isWhole).toBe(true)
          expect(played(values[0] ?? 0, count, progression)).toEqual(values)
        },
      ),
    )
  })

  test('a phase goes on past the end of a turn', () => {
    const step = 0.37 * STEPS_PER_TURN
    const values = Array.from({ length: 40 }, (_, at) => Math.round(at * step) % STEPS_PER_TURN)
    const { progression, isWhole } = progressionOf(values, 'phase')
    expect(isWhole).toBe(true)
    expect(played(0, 40, progression).map((value) => value % STEPS_PER_TURN)).toEqual(values)
  })

  test('a value beside the line is refused, and the line stays', () => {
    const { progression } = progressionOf([0, 10, 20, 31])
    expect(progression.add(43)).toBe(false)
    expect(progression.add(41)).toBe(true)
    expect(played(0, 5, progression)).toEqual([0, 10, 20, 31, 41])
  })

  test('what stays the same is constant', () => {
    expect(progressionOf([5, 5, 5]).progression.isConstant).toBe(true)
    expect(progressionOf([5, 5, 6]).progression.isConstant).toBe(false)
  })
})
