import { describe, expect, test } from 'bun:test'
import { join } from 'node:path'
import { Damping } from '../../../../../src/devices/bench/simulated/dynamics/damping.ts'
import { evolveOne, type Player } from '../../../../../src/devices/bench/simulated/dynamics/evolve.ts'
import { exchangeKicks } from '../../../../../src/devices/bench/simulated/dynamics/exchange.ts'
import { applyExchange, dampPair } from '../../../../../src/devices/bench/simulated/dynamics/pair.ts'
import { PropagatorCache } from '../../../../../src/devices/bench/simulated/dynamics/propagator-cache.ts'
import type { Transmon } from '../../../../../src/devices/bench/simulated/dynamics/transmon.ts'
import type { Pulse } from '../../../../../src/devices/pulse/schedule.ts'

/** Values that QuTiP calculated: `tests/oracle/transmons.py`, frequencies in GHz, times in ns. */
interface Golden {
  rabi: [number, number, number, number, number[]][]
  ramsey: [number, number[]][]
  ef: [number, number[]][]
  cz: [number, number, number, string, number[], number][]
}
const golden: Golden = await Bun.file(join(import.meta.dir, '../../../../golden/transmons.json')).json()

const STILL = { down: 0, up: 0, dephasing: 0 }
const FULL_SCALE = 100e6

const TRANSMON: Transmon = {
  f01: 4.6e9,
  anharmonicity: -220e6,
  rates: STILL,
  slowNoise: 0,
  switching: 0,
  thermal: 0,
  rabi: FULL_SCALE,
  compression: 0,
  hand: 1,
  quadrature: 1,
}

/** A Gaussian pulse by its Rabi frequency in GHz. */
function pulseOf(at: number, duration: number, rabi: number, motzoi: number, detuning = 0, phase = 0): Pulse {
  return {
    at,
    duration,
    port: 'q0:mw',
    frequency: 4.6e9 + detuning * 1e9,
    phase,
    amplitude: (rabi * 1e9) / FULL_SCALE,
    envelope: { shape: 'gaussian', motzoi },
  }
}

function play(pulses: Pulse[], end: number, rates = STILL): number[] {
  const arrivals = pulses.map((pulse) => ({ pulse, share: 1 }))
  const transmon = { ...TRANSMON, rates }
  const player: Player = { transmon, damping: new Damping(rates), arrivals, cache: new PropagatorCache() }
  return [...(evolveOne(player, [1, 0, 0], [end])[0] ?? [])]
}

function expectClose(actual: readonly number[], expected: readonly number[]): void {
  expect(actual).toHaveLength(expected.length)
  for (const [level, value] of expected.entries())
    expect(Math.abs((actual[level] ?? Number.NaN) - value)).toBeLessThan(1e-4)
}

describe('populations as QuTiP calculates them, within 1e-4', () => {
  test.each(golden.rabi)('two pulses of %d ns at %d GHz, motzoi %d, off by %d GHz', (...parameters) => {
    const [duration, rabi, motzoi, detuning, populations] = parameters
    const first = pulseOf(0, duration, rabi, motzoi, detuning)
    const second = pulseOf(duration + 10, duration, rabi, motzoi, detuning, 0.7)
    expectClose(play([first, second], 2 * duration + 10), populations)
  })

  test.each(golden.ramsey)('detuned Ramsey with damping after %d ns', (delay, populations) => {
    const half = (at: number, phase: number) => pulseOf(at, 28, 0.01425, -0.09, 0.0004, phase)
    const rates = { down: 0.985 / 20e-6, up: 0.015 / 20e-6, dephasing: 1 / 9e-6 }
    expectClose(play([half(0, 0), half(28 + delay, 0.4)], 56 + delay, rates), populations)
  })

  test.each(golden.ef)('Rabi oscillation of 1 and 2 at %d GHz', (rabi, populations) => {
    const pi = pulseOf(0, 56, 0.0285, -0.05)
    expectClose(play([pi, pulseOf(60, 56, rabi, 0.05, -0.22)], 116), populations)
  })

  test.each(golden.cz)('tone off by %d GHz, coupling %d GHz, %d ns, from %s', (...parameters) => {
    const [detuning, coupling, duration, start, populations, overlap] = parameters
    const levels = start === '11' ? [4] : [0, 1, 3, 4]
    const rho = new Float64Array(162)
    for (const row of levels) for (const column of levels) rho[2 * (9 * row + column)] = 1 / levels.length
    const a = new Damping({ down: 1 / 30e-6, up: 0, dephasing: 1 / 40e-6 })
    const b = new Damping({ down: 1 / 50e-6, up: 0, dephasing: 1 / 30e-6 })
    const kicks = exchangeKicks({
      coupling: coupling * 1e9,
      isProportional: true,
      detuning: -detuning * 1e9,
      shift: 0,
      starkA: 0,
      starkB: 0,
      phase: 0,
      envelope: { shape: 'square' },
      distortion: undefined,
      start: 0,
      duration,
    })
    let now = 0
    const rest = (until: number) => {
      dampPair(rho, a.over(until - now), b.over(until - now), 2 * Math.PI * -20e-6 * (until - now))
      now = until
    }
    for (const kick of kicks) {
      rest(kick.at)
      applyExchange(rho, kick)
    }
    rest(duration)
    expectClose(
      Array.from({ length: 9 }, (_, level) => rho[20 * level] ?? 0),
      populations,
    )
    let after = 0
    for (const row of levels) for (const column of levels) after += rho[2 * (9 * row + column)] ?? 0
    expect(Math.abs(after / levels.length - overlap)).toBeLessThan(1e-4)
  })
})
