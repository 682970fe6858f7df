import type { ChipTruth } from '../../../src/devices/bench/simulated/truth/chip-truth.ts'
import type { Pulse, Schedule } from '../../../src/devices/pulse/schedule.ts'
import type { Rng } from '../../../src/simulator/index.ts'
import { measured, PI_NS, rotation } from './experiments.ts'

/** Gap between gates, ns. */
const GAP_NS = 4

/**
 * Random rotations of both ends before each of some CZ pulses, which are dealt to the edges of a row in
 * turns, and a readout of all qubits. Each gate begins when its qubits are free.
 */
export function joinedCircuit(truth: ChipTruth, gates: number, rng: Rng): Schedule {
  const edges = Object.entries(truth.edges)
  const free = new Map<string, number>()
  const pulses: Pulse[] = []
  for (let gate = 0; gate < gates; gate++) {
    // Every other edge first: they play at the same time.
    const place = (2 * gate) % edges.length
    const isOdd = edges.length % 2 === 0 && Math.floor((2 * gate) / edges.length) % 2 === 1
    const [name, edge] = edges[isOdd ? place + 1 : place] ?? []
    if (!name || !edge) continue
    const ends = [edge.high, edge.low]
    const at = Math.max(...ends.map((end) => free.get(end) ?? 0))
    for (const end of ends) pulses.push(rotation(truth, end, at, rng.next(), 2 * Math.PI * rng.next()))
    const [high, low] = ends.map((end) => truth.qubits[end])
    const duration = Math.round(1e9 / (2 * edge.exchange * 0.5))
    pulses.push({
      at: at + PI_NS,
      duration,
      port: `${name}:fl`,
      frequency: Math.abs((high?.f01 ?? 0) - (low?.f01 ?? 0) + (high?.anharmonicity ?? 0)),
      phase: 0,
      amplitude: 0.5,
      envelope: { shape: 'soft_square', rise: 4 },
    })
    for (const end of ends) free.set(end, at + PI_NS + duration + GAP_NS)
  }
  return measured(truth, pulses, Math.max(...free.values()), Object.keys(truth.qubits))
}
