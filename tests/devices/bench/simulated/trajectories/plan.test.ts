import { expect, test } from 'bun:test'
import { Damping } from '../../../../../src/devices/bench/simulated/dynamics/damping.ts'
import { PropagatorCache } from '../../../../../src/devices/bench/simulated/dynamics/propagator-cache.ts'
import type { Gate, Transmon } from '../../../../../src/devices/bench/simulated/dynamics/transmon.ts'
import type { RegisterEvents } from '../../../../../src/devices/bench/simulated/trajectories/compile.ts'
import { NoisyGate, NoisyPlayer } from '../../../../../src/devices/bench/simulated/trajectories/members.ts'
import { Trajectories } from '../../../../../src/devices/bench/simulated/trajectories/trajectories.ts'
import type { Pulse } from '../../../../../src/devices/pulse/schedule.ts'
import { createRng, type Rng } from '../../../../../src/simulator/index.ts'
import { compareCounts } from '../../../../oracle/statistics.ts'
import { drawnSeeds } from '../../../../support/random/drawn-seeds.ts'
import { RUNS_WHOLE } from '../../../../support/whole.ts'
import { silentTurns } from '../../support/silent-turns.ts'

/** Places of a random circuit, ns apart: a pulse ends before the next begins. */
const [PLACES, APART_NS] = [14, 120]
const SHOTS = 2_000
/** Random circuits; each takes about half a second. */
const CIRCUITS = RUNS_WHOLE ? 60 : 3

/** So lossy that jumps are frequent. */
function drawPlayer(rng: Rng, pulses: readonly Pulse[]): NoisyPlayer {
  const transmon: Transmon = {
    ...{ f01: 5e9, anharmonicity: -200e6, rabi: 100e6, compression: 0, hand: 1, quadrature: 1 },
    rates: { down: 6e5 * rng.next(), up: 1e5 * rng.next(), dephasing: 3e5 * rng.next() },
    ...{ slowNoise: 1e5, switching: 0, thermal: 0.1 },
  }
  const arrivals = pulses.map((pulse) => ({ pulse, share: 1 }))
  return new NoisyPlayer(
    { transmon, arrivals, damping: new Damping(transmon.rates), cache: new PropagatorCache() },
    1e-6,
  )
}

const GATE: Gate = {
  ...{ conditional: 2e6, kind: 'parametric', coupling: 8e6, shift: -1e6, starkA: 5e5, starkB: 3e5 },
  ...{ offset: 0, slowNoise: 1e5, distortion: undefined },
}

/** Pulses, gates between any two neighbors of a row or a star, and measurements, some of them on the way. */
function drawEvents(rng: Rng): RegisterEvents {
  const below = (count: number) => Math.floor(count * rng.next())
  const transmons = 3 + below(3)
  const isStar = rng.next() < 0.3
  const couplings = Array.from({ length: transmons - 1 }, (_, at) => [isStar ? 0 : at, at + 1] as const)
  const drives: Pulse[][] = Array.from({ length: transmons }, () => [])
  const tones: Pulse[][] = couplings.map(() => [])
  const measurements: { at: number; which: number }[] = []
  for (let place = 0; place < PLACES; place++) {
    const at = APART_NS * place
    const common = { at, phase: 6 * rng.next(), port: 'q0:mw' } as const
    const what = rng.next()
    const which = below(transmons)
    if (what < 0.07) measurements.push({ at, which })
    else if (what < 0.65)
      drives[which]?.push({
        ...common,
        ...{ duration: 40, frequency: 5e9, amplitude: 0.4 * rng.next() },
        envelope: { shape: 'gaussian', motzoi: 0.1 },
      })
    else
      tones[below(couplings.length)]?.push({
        ...common,
        ...{ duration: 100, frequency: 200e6, amplitude: 0.5 },
        envelope: { shape: 'soft_square', rise: 10 },
      })
  }
  const players = drives.map((pulses) => drawPlayer(rng, pulses))
  const gates = couplings.map(
    (ends, at) =>
      new NoisyGate(GATE, tones[at] ?? [], ends, [
        players[ends[0]] as NoisyPlayer,
        players[ends[1]] as NoisyPlayer,
      ]),
  )
  for (let which = 0; which < transmons; which++) measurements.push({ at: APART_NS * PLACES, which })
  return { players, gates, measurements }
}

/** How often all measurements of a shot find the same levels. */
async function countsOf(events: RegisterEvents, plan: 'wide' | 'narrow', seed: number, isShort: boolean) {
  const options = { ...events, plan, shortReset: isShort ? 700 : undefined }
  const found = await new Trajectories(options).play(SHOTS, createRng(seed), silentTurns())
  const counts: Record<string, number> = {}
  for (let shot = 0; shot < SHOTS; shot++) {
    const key = found.map((levels) => levels[shot]).join('')
    counts[key] = (counts[key] ?? 0) + 1
  }
  return counts
}

test('shots with few amplitudes find what those with all of them find', async () => {
  for (const seed of drawnSeeds(CIRCUITS)) {
    const events = drawEvents(createRng(seed))
    const isShort = seed % 4 === 0
    const wide = await countsOf(events, 'wide', seed, isShort)
    const narrow = await countsOf(events, 'narrow', seed + 1, isShort)
    expect(compareCounts(wide, narrow).p, `seed ${seed}`).toBeGreaterThan(1e-7)
  }
}, 300_000)
