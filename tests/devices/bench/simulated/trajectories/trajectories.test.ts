import { describe, expect, test } from 'bun:test'
import { Damping } from '../../../../../src/devices/bench/simulated/dynamics/damping.ts'
import {
  evolveOne,
  evolvePair,
  type Player,
} from '../../../../../src/devices/bench/simulated/dynamics/evolve.ts'
import { PropagatorCache } from '../../../../../src/devices/bench/simulated/dynamics/propagator-cache.ts'
import type { Gate, Transmon } from '../../../../../src/devices/bench/simulated/dynamics/transmon.ts'
import type { Measurement } from '../../../../../src/devices/bench/simulated/trajectories/compile.ts'
import { NoisyGate, NoisyPlayer } from '../../../../../src/devices/bench/simulated/trajectories/members.ts'
import { Trajectories } from '../../../../../src/devices/bench/simulated/trajectories/trajectories.ts'
import type { Pulse } from '../../../../../src/devices/pulse/schedule.ts'
import { createRng } from '../../../../../src/simulator/index.ts'
import { silentTurns } from '../../support/silent-turns.ts'

/** So lossy that a few hundred nanoseconds show everything. */
function lossy(f01: number): Transmon {
  return {
    ...{ f01, anharmonicity: -200e6, rabi: 100e6, compression: 0, hand: 1, quadrature: 1 },
    rates: { down: 2.5e6, up: 4e5, dephasing: 2.5e6 },
    ...{ slowNoise: 3e5, switching: 4e5, thermal: 0.1 },
  }
}

const drive = (qubit: string, at: number, frequency: number, phase = 0): Pulse => ({
  ...{ at, duration: 40, port: `${qubit}:mw`, frequency, phase, amplitude: 0.2 },
  envelope: { shape: 'gaussian', motzoi: 0.1 },
})

function playerOf(transmon: Transmon, pulses: readonly Pulse[]): Player {
  return {
    ...{ transmon, damping: new Damping(transmon.rates), cache: new PropagatorCache() },
    arrivals: pulses.map((pulse) => ({ pulse, share: 1 })),
  }
}

const SHOTS = 6_000

function play(
  players: readonly NoisyPlayer[],
  gates: readonly NoisyGate[],
  measurements: readonly Measurement[],
) {
  const options = { players, gates, measurements, shortReset: undefined }
  return new Trajectories(options).play(SHOTS, createRng(7), silentTurns())
}

/** Within five standard deviations of a count, of the many that are compared. */
function expectCount(count: number, probability: number): void {
  const deviation = Math.sqrt(SHOTS * probability * (1 - probability))
  expect(Math.abs(count - SHOTS * probability)).toBeLessThan(5 * deviation + 1)
}

const thermal = (share: number) => [1 - share, share, 0]

describe('courses have the populations of the density matrix as their mean', () => {
  const [one, other] = [lossy(5.2e9), lossy(4.9e9)]
  const pulsesOne = [drive('q0', 0, 5.2e9), drive('q0', 150, 5.2e9, 0.7), drive('q0', 900, 5.2e9)]
  const pulsesOther = [drive('q1', 10, 4.9e9), drive('q1', 800, 4.9e9, 1)]

  test('of one transmon with all its noise, measured twice', async () => {
    const player = playerOf(one, pulsesOne)
    const times = [500, 1_000]
    const exact = evolveOne(player, thermal(one.thermal), times)
    const found = await play(
      [new NoisyPlayer(player, 1e-6)],
      [],
      times.map((at) => ({ at, which: 0 })),
    )
    for (const [time, populations] of exact.entries()) {
      for (const [level, probability] of populations.entries())
        expectCount(found[time]?.filter((each) => each === level).length ?? 0, probability)
    }
  })

  test('of one whose shots share their state until chance strikes them', async () => {
    const rates = { down: 4e5, up: 1e5, dephasing: 6e5 }
    const player = playerOf({ ...one, rates, slowNoise: 6e4, switching: 0 }, pulsesOne)
    const [exact = []] = evolveOne(player, thermal(one.thermal), [1_000])
    const measurements = [{ at: 1_000, which: 0 }]
    const [found = []] = await play([new NoisyPlayer(player, 1e-6)], [], measurements)
    for (const [level, probability] of exact.entries())
      expectCount(found.filter((each) => each === level).length, probability)
    // Shots of one state come in no order.
    const ones = (half: ArrayLike<number>) => Array.from(half).filter((level) => level === 1).length
    expect(Math.abs(ones(found.slice(0, SHOTS / 2)) - ones(found.slice(SHOTS / 2)))).toBeLessThan(
      5 * Math.sqrt(SHOTS),
    )
  })

  test('of a pair with a gate and an interaction that never rests, one of them measured on the way', async () => {
    const players = [playerOf(one, pulsesOne), playerOf(other, pulsesOther)] as const
    const gate: Gate = {
      ...{ conditional: 3e5, kind: 'parametric', coupling: 8e6, shift: -1e6, starkA: 5e5, starkB: 3e5 },
      ...{ offset: 0, slowNoise: 2e5, distortion: undefined },
    }
    const tone: Pulse = {
      ...{ at: 250, duration: 150, port: 'q0_q1:fl', frequency: 101e6, phase: 0.3, amplitude: 0.5 },
      envelope: { shape: 'soft_square', rise: 10 },
    }
    const [a, b] = [thermal(one.thermal), thermal(other.thermal)]
    const start = a.flatMap((x) => b.map((y) => x * y))
    const exact = evolvePair({ players, gate, gatePulses: [tone] }, start, [450, 1_000], [[1], [0, 1]])
    const noisy = players.map((player) => new NoisyPlayer(player, 1e-6)) as [NoisyPlayer, NoisyPlayer]
    const measurements = [450, 1_000, 1_000].map((at, index) => ({ at, which: index === 1 ? 0 : 1 }))
    const [early = [], first = [], second = []] = await play(
      noisy,
      [new NoisyGate(gate, [tone], [0, 1], noisy)],
      measurements,
    )
    const shares = (values: ArrayLike<number>, level: number) =>
      Array.from(values).filter((each) => each === level).length
    for (let level = 0; level < 3; level++) {
      const sum = exact[0]?.reduce((total, share, place) => total + (place % 3 === level ? share : 0), 0) ?? 0
      expectCount(shares(early, level), sum)
    }
    for (const [level, probability] of (exact[1] ?? []).entries()) {
      const both = Array.from(first, (each, shot) => 3 * each + (second[shot] ?? 0))
      expectCount(shares(both, level), probability)
    }
  })
})

test('a measurement projects: the same transmon is found in the same level at once', async () => {
  const transmon = { ...lossy(5e9), rates: { down: 0, up: 0, dephasing: 0 }, slowNoise: 0, switching: 0 }
  const players = [new NoisyPlayer(playerOf(transmon, [drive('q0', 0, 5e9)]), 0)]
  const [first = [], second = []] = await play(
    players,
    [],
    [60, 600].map((at) => ({ at, which: 0 })),
  )
  expect(second).toEqual(first)
  expect(new Set(first).size).toBeGreaterThan(1)
})

test('a short wait between shots leaves populations of the last one', async () => {
  const rates = { down: 1e4, up: 0, dephasing: 5e3 }
  const transmon = { ...lossy(5e9), rates, thermal: 0, slowNoise: 0, switching: 0 }
  const options = {
    players: [new NoisyPlayer(playerOf(transmon, [drive('q0', 0, 5e9)]), 0)],
    ...{ gates: [], measurements: [{ at: 50, which: 0 }], shortReset: 1_000 },
  }
  const [levels = []] = await new Trajectories(options).play(2_000, createRng(1), silentTurns())
  const [flip = []] = evolveOne(options.players[0]?.player as Player, [1, 0, 0], [50])
  const kept =
    Array.from(levels).filter((level, shot) => shot > 0 && level === levels[shot - 1]).length / 1_999
  // A shot that starts where the last one ended finds it there again when the pulse does not flip it.
  expect(kept).toBeCloseTo(1 - (flip[1] ?? 0), 1)
})
