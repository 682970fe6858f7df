import { branchShift, conditionalShift, couplerFrequency, mediatedExchange } from '../dynamics/coupler.ts'
import type { Gate, Transmon } from '../dynamics/transmon.ts'
import type { ChipTruth, EdgeTruth, QubitTruth, ReadoutTruth } from '../truth/chip-truth.ts'
import type { TruthNow } from '../truth/truth-at.ts'

/** A resonator and its line during one program. */
export interface Resonator extends ReadoutTruth {
  /** Delay of the line, ns. */
  delay: number
  isMirrored: boolean
  crosstalk: number
}

/** A pair and its gate during one program. */
export interface Coupling {
  name: string
  high: string
  low: string
  gate: Gate
  driveLeak: readonly [number, number]
}

/** The chip during one program. */
export interface Conditions {
  transmons: ReadonlyMap<string, Transmon>
  resonators: ReadonlyMap<string, Resonator>
  couplings: readonly Coupling[]
}

/** Relaxation of a chip that is warm, s. */
const WARM_T1 = 50e-9

/**
 * The chip as its truth and the currents of its couplers make it.
 * @param heldIn current of an edge, A
 */
export function conditionsOf(chip: ChipTruth, now: TruthNow, heldIn: (edge: string) => number): Conditions {
  const currents = currentsOf(now, heldIn)
  const starts = currentsOf(now, (name) => chip.edges[name]?.held_at_start ?? 0)
  const transmons = new Map<string, Transmon>()
  for (const [name, qubit] of Object.entries(now.qubits)) {
    const f01 = frequencyAt(name, qubit, now, starts, currents)
    transmons.set(name, transmonOf({ ...qubit, f01 }, chip.hand, now.isWarm))
  }
  const resonators = new Map<string, Resonator>()
  for (const [name, { readout }] of Object.entries(now.qubits)) {
    const line = chip.readout_lines[readout.line]
    const depth = now.isWarm ? 0 : readout.depth
    const delay = Math.round((line?.delay ?? 0) * 1e9)
    const crosstalk = line?.crosstalk ?? 0
    resonators.set(name, { ...readout, depth, delay, isMirrored: line?.mirrored ?? false, crosstalk })
  }
  const couplings = Object.entries(now.edges).map(([name, edge]) => ({
    name,
    high: edge.high,
    low: edge.low,
    gate: gateOf(name, edge, now, transmons, currents),
    driveLeak: edge.drive_leak,
  }))
  return { transmons, resonators, couplings }
}

/** What the couplers feel: their own current and shares of their neighbors'. */
function currentsOf(now: TruthNow, heldIn: (edge: string) => number): Map<string, number> {
  const feel = ([name, edge]: [string, EdgeTruth]): [string, number] => {
    if (now.stuck.has(name)) return [name, edge.held_at_start]
    const leaks = Object.entries(edge.flux_leak).map(([other, leak]) => leak * heldIn(other))
    return [name, leaks.reduce((sum, leak) => sum + leak, heldIn(name))]
  }
  return new Map(Object.entries(now.edges).map(feel))
}

/** Frequency of a transmon at other currents than those at which the truth has it. */
function frequencyAt(
  name: string,
  { f01 }: QubitTruth,
  now: TruthNow,
  starts: ReadonlyMap<string, number>,
  currents: ReadonlyMap<string, number>,
): number {
  const shiftAt = (bare: number, at: ReadonlyMap<string, number>) => {
    let shift = 0
    for (const [edgeName, edge] of Object.entries(now.edges)) {
      if (edge.high !== name && edge.low !== name) continue
      const coupling = edge.high === name ? edge.coupling_high : edge.coupling_low
      shift += branchShift(bare, couplerFrequency(edge, at.get(edgeName) ?? 0), coupling)
    }
    return shift
  }
  let bare = f01
  for (let round = 0; round < 4; round++) bare = f01 - shiftAt(bare, starts)
  return bare + shiftAt(bare, currents)
}

function transmonOf(qubit: QubitTruth, hand: 1 | -1, isWarm: boolean): Transmon {
  const { defect } = qubit
  const fromDefect = defect
    ? defect.decay / (1 + ((qubit.f01 - defect.frequency) / (defect.width / 2)) ** 2)
    : 0
  const decay = isWarm ? 1 / WARM_T1 : 1 / qubit.t1 + fromDefect
  const thermal = isWarm ? 0.5 : qubit.thermal
  const remainder = Math.max(0, 1 - qubit.t2_star / qubit.t2_echo)
  return {
    f01: qubit.f01,
    anharmonicity: qubit.anharmonicity,
    rates: {
      down: (1 - thermal) * decay,
      up: thermal * decay,
      dephasing: Math.max(1 / qubit.t2_echo, decay / 2),
    },
    // Gaussian and exponential decay together reach 1/e after t2_star.
    slowNoise: Math.sqrt(2 * remainder) / (2 * Math.PI * qubit.t2_star),
    switching: qubit.switching?.shift ?? 0,
    thermal,
    rabi: qubit.rabi,
    compression: qubit.compression,
    hand,
    quadrature: qubit.quadrature,
  }
}

/** Change of current over which a slope is taken, A. */
const SLOPE_STEP = 1e-6

function gateOf(
  name: string,
  edge: EdgeTruth,
  now: TruthNow,
  transmons: ReadonlyMap<string, Transmon>,
  currents: ReadonlyMap<string, number>,
): Gate {
  const [high, low] = [transmons.get(edge.high), transmons.get(edge.low)]
  if (!high || !low) throw new RangeError(`edges.${name}: a qubit is missing`)
  const current = currents.get(name) ?? 0
  const exchange = edge.coupling_direct + mediatedExchange(edge, high.f01, low.f01, current)
  const distance = (at: number) => {
    const coupler = couplerFrequency(edge, at)
    return (
      branchShift(high.f01, coupler, edge.coupling_high) - branchShift(low.f01, coupler, edge.coupling_low)
    )
  }
  const slope = (distance(current + SLOPE_STEP) - distance(current - SLOPE_STEP)) / (2 * SLOPE_STEP)
  return {
    conditional: conditionalShift(exchange, high.f01 - low.f01, high.anharmonicity, low.anharmonicity),
    kind: edge.kind,
    coupling: now.stuck.has(name) ? 0 : edge.exchange,
    shift: edge.shift,
    starkA: edge.stark_high,
    starkB: edge.stark_low,
    offset: now.gateOffsets[name] ?? 0,
    slowNoise: Math.abs(slope) * edge.flux_noise,
    distortion: edge.distortion,
  }
}
