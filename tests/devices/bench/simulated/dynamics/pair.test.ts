import { expect, test } from 'bun:test'
import * as fc from 'fast-check'
import { Damping } from '../../../../../src/devices/bench/simulated/dynamics/damping.ts'
import {
  evolveOne,
  evolvePair,
  type Player,
} from '../../../../../src/devices/bench/simulated/dynamics/evolve.ts'
import { LEVELS, propagator } from '../../../../../src/devices/bench/simulated/dynamics/matrix.ts'
import { applyToOne, PAIR_LEVELS } from '../../../../../src/devices/bench/simulated/dynamics/pair.ts'
import { PropagatorCache } from '../../../../../src/devices/bench/simulated/dynamics/propagator-cache.ts'
import type { Gate, Transmon } from '../../../../../src/devices/bench/simulated/dynamics/transmon.ts'
import { type Matrix, multiplyByAdjoint, multiplyInto } from '../../../../../src/qasm/index.ts'
import { createRng, type Rng } from '../../../../../src/simulator/index.ts'

/** A Hermitian matrix of dimension `n`. */
function hermitian(rng: Rng, n: number): Matrix {
  const matrix = new Float64Array(2 * n * n)
  for (let row = 0; row < n; row++) {
    for (let column = row; column < n; column++) {
      const [re, im] = [rng.next() - 0.5, row === column ? 0 : rng.next() - 0.5]
      matrix.set([re, im], 2 * (row * n + column))
      matrix.set([re, -im], 2 * (column * n + row))
    }
  }
  return matrix
}

/** The same operator on a pair, the other transmon left alone. */
function onPair(unitary: Matrix, which: 0 | 1): Matrix {
  const whole = new Float64Array(2 * PAIR_LEVELS * PAIR_LEVELS)
  for (let row = 0; row < LEVELS; row++) {
    for (let column = 0; column < LEVELS; column++) {
      for (let other = 0; other < LEVELS; other++) {
        const level = (own: number) => (which === 0 ? LEVELS * own + other : LEVELS * other + own)
        const entry = unitary.subarray(2 * (row * LEVELS + column), 2 * (row * LEVELS + column) + 2)
        whole.set(entry, 2 * (level(row) * PAIR_LEVELS + level(column)))
      }
    }
  }
  return whole
}

test('a pulse on one transmon of a pair acts as the operator on the whole pair does', () => {
  void fc.assert(
    fc.property(fc.integer({ min: 1, max: 1e6 }), fc.constantFrom(0 as const, 1 as const), (seed, which) => {
      const rng = createRng(seed)
      const unitary = propagator(LEVELS, hermitian(rng, LEVELS), 1)
      const rho = hermitian(rng, PAIR_LEVELS)
      const whole = onPair(unitary, which)
      const [half, wanted] = [rho.slice(), rho.slice()]
      multiplyInto(PAIR_LEVELS, whole, rho, half)
      multiplyByAdjoint(PAIR_LEVELS, half, whole, wanted)
      applyToOne(rho, unitary, which)
      const distance = rho.reduce((most, value, at) => Math.max(most, Math.abs(value - (wanted[at] ?? 0))), 0)
      expect(distance).toBeLessThan(1e-12)
    }),
    { numRuns: 50 },
  )
})

test('transmons of a pair without interaction evolve as each alone, also one that switches', () => {
  const transmon: Transmon = {
    ...{ f01: 4.6e9, anharmonicity: -220e6, rates: { down: 2e4, up: 300, dephasing: 4e4 } },
    ...{ slowNoise: 8e3, switching: 0, thermal: 0, rabi: 100e6, compression: 0, hand: 1, quadrature: 1 },
  }
  const ramsey = (name: string, own: Transmon): Player => ({
    ...{ transmon: own, damping: new Damping(own.rates), cache: new PropagatorCache() },
    arrivals: [0, 1_000].map((at) => ({
      share: 1,
      pulse: {
        ...{ at, duration: 56, port: `${name}:mw` as const, frequency: own.f01 + 0.3e6, phase: 0 },
        ...{ amplitude: 0.14, envelope: { shape: 'gaussian', motzoi: 0 } },
      },
    })),
  })
  const players = [
    ramsey('q0', { ...transmon, switching: 90e3 }),
    ramsey('q1', { ...transmon, f01: 4.2e9 }),
  ] as const
  const gate: Gate = {
    ...{ conditional: 0, kind: 'parametric', coupling: 0, shift: 0, starkA: 0, starkB: 0, offset: 0 },
    ...{ slowNoise: 0, distortion: undefined },
  }
  const start = [0, 1, 2, 3, 4, 5, 6, 7, 8].map((level) => (level === 0 ? 1 : 0))
  const [pair = []] = evolvePair({ players, gate, gatePulses: [] }, start, [1_056])
  for (const [which, player] of players.entries()) {
    const [alone = []] = evolveOne(player, [1, 0, 0], [1_056])
    const place = (level: number) => (which === 0 ? Math.floor(level / LEVELS) : level % LEVELS)
    const own = [0, 1, 2].map((state) =>
      Array.from(pair).reduce((sum, share, level) => (place(level) === state ? sum + share : sum), 0),
    )
    for (const [state, share] of own.entries())
      expect(Math.abs(share - (alone[state] ?? 0))).toBeLessThan(1e-4)
  }
})
