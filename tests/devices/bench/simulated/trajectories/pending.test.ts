import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { LEVELS } from '../../../../../src/devices/bench/simulated/dynamics/matrix.ts'
import {
  PendingExchange,
  PendingTurn,
} from '../../../../../src/devices/bench/simulated/trajectories/pending.ts'
import { StateVector } from '../../../../../src/devices/bench/simulated/trajectories/state-vector.ts'

/** Numbers of some size, real and imaginary parts alternating: the amplitudes need not stay normalized. */
const numbers = (count: number) =>
  fc
    .array(fc.double({ min: -1.5, max: 1.5, noNaN: true }), { minLength: 2 * count, maxLength: 2 * count })
    .map((all) => Float64Array.from(all))
const matrices = numbers(LEVELS * LEVELS)
const levels = numbers(LEVELS)

const diagonal = (factors: Float64Array) =>
  Float64Array.from({ length: 2 * LEVELS * LEVELS }, (_, at) =>
    (at >> 1) % (LEVELS + 1) === 0 ? (factors[2 * Math.floor((at >> 1) / LEVELS) + (at % 2)] as number) : 0,
  )

/** Two transmons beside a third one, in a state without zeros. */
function register(prepared: readonly Float64Array[]): StateVector {
  const state = new StateVector(3)
  state.set([1, 0, 2])
  for (const [which, matrix] of prepared.entries()) state.applyToOne(which, matrix)
  return state
}

/** Up to rounding errors, relative to the largest number. */
function expectEqual(one: StateVector, other: StateVector): void {
  const [found, wanted] = [readingsOf(one), readingsOf(other)]
  const size = Math.max(1, ...wanted.map(Math.abs))
  for (const [at, value] of found.entries())
    expect(Math.abs(value - (wanted[at] as number)) / size).toBeLessThan(1e-12)
}

/** What can be read of a state: the populations of each transmon, before and behind a turn of each. */
function readingsOf(state: StateVector): number[] {
  const mixing = Float64Array.of(
    0.6,
    0.1,
    0.5,
    -0.3,
    0.2,
    0.4,
    -0.5,
    0.2,
    0.7,
    0,
    0.1,
    -0.6,
    0.3,
    0.3,
    -0.2,
    0.5,
    0.8,
    0.1,
  )
  const read: number[] = []
  const copy = new StateVector(3)
  const out = new Float64Array(LEVELS)
  for (let turned = 0; turned < 8; turned++) {
    copy.copy(state)
    for (let which = 0; which < 3; which++) if ((turned >> which) & 1) copy.applyToOne(which, mixing)
    for (let which = 0; which < 3; which++) {
      copy.populationsOf(which, out)
      read.push(...out)
    }
  }
  return read
}

const start = fc.tuple(matrices, matrices, matrices)

test('amplitudes that are moved once are those that are moved by each pulse', () => {
  const step = fc.oneof(
    fc.record({ kind: fc.constant('push' as const), matrix: matrices }),
    fc.record({ kind: fc.constant('add' as const), factors: levels, matrix: matrices }),
    fc.record({ kind: fc.constant('apply' as const) }),
    fc.record({ kind: fc.constant('clear' as const) }),
    fc.record({ kind: fc.constant('copy' as const) }),
  )
  const check = fc.property(start, fc.nat(2), fc.array(step, { maxLength: 8 }), (prepared, which, steps) => {
    const fast = register(prepared)
    const slow = register(prepared)
    let turn = new PendingTurn(which)
    /** What is pending, one by one. */
    let waiting: Float64Array[] = []
    const moveAll = () => {
      turn.apply(fast)
      for (const matrix of waiting) slow.applyToOne(which, matrix)
      waiting = []
    }
    for (const each of steps) {
      if (each.kind === 'push') {
        turn.push(each.matrix)
        waiting.push(each.matrix)
      } else if (each.kind === 'add') {
        turn.add(each.factors, each.matrix)
        waiting.push(diagonal(each.factors), each.matrix)
      } else if (each.kind === 'clear') {
        turn.clear()
        waiting = []
      } else if (each.kind === 'copy') {
        const other = new PendingTurn(which)
        other.copy(turn)
        turn.clear()
        turn = other
      } else moveAll()
    }
    moveAll()
    expectEqual(fast, slow)
  })
  fc.assert(check, { numRuns: 60 })
})

test('a pair that is moved once is moved as by each stretch and damping between them', () => {
  const step = fc.oneof(
    fc.record({ at: fc.constant(0), factors: numbers(LEVELS * LEVELS), block: numbers(4) }),
    fc.record({ high: levels, low: levels, angle: fc.double({ min: -7, max: 7, noNaN: true }) }),
  )
  const pairs = fc.constantFrom<[number, number]>([0, 1], [1, 0], [2, 0], [1, 2])
  const check = fc.property(
    start,
    pairs,
    fc.array(step, { maxLength: 6 }),
    (prepared, [high, low], steps) => {
      const [fast, taken, slow] = [register(prepared), register(prepared), register(prepared)]
      const [applied, kept] = [new PendingExchange(), new PendingExchange()]
      for (const each of steps) {
        if ('block' in each) {
          for (const exchange of [applied, kept]) exchange.add(each)
          slow.applyPair(high, low, each.factors, each.block)
          continue
        }
        for (const exchange of [applied, kept]) exchange.scale(each.high, each.low, each.angle)
        slow.applyToOne(high, diagonal(each.high))
        slow.applyToOne(low, diagonal(each.low))
        slow.turnProducts(high, low, each.angle)
      }
      applied.apply(fast, high, low)
      const { factors, block } = kept.take()
      taken.applyPair(high, low, factors, block)
      expectEqual(fast, slow)
      expectEqual(taken, slow)
      // Nothing stays behind.
      applied.apply(fast, high, low)
      expectEqual(fast, slow)
    },
  )
  fc.assert(check, { numRuns: 60 })
})
