import { conditionalShift, mediatedExchange } from '../dynamics/coupler.ts'
import type { Draws } from '../random.ts'
import type { EdgeTruth, QubitTruth } from './chip-truth.ts'
import type { EdgeDesign } from './design.ts'

/** Where a coupler stands at the start, as a share of the way from its sweet spot to the next crossing. */
const SHARE_AT_START = 0.4

/** Draws a coupler and its gate around two transmons. */
export function drawEdge(
  draws: Draws,
  design: EdgeDesign,
  qubits: Record<string, QubitTruth>,
  others: readonly string[],
): EdgeTruth {
  const draw = (field: string, low: number, high: number) => draws.between(low, high, design.name, field)
  const [high, low] = orderEnds(design, qubits)
  const [highTruth, lowTruth] = [truthOf(qubits, high), truthOf(qubits, low)]
  const maxFrequency = draw('max_frequency', 6.4e9, 7.4e9)
  const period = draw('period', 3.6e-3, 4.8e-3)
  const offset = draw('offset', -0.2e-3, 0.2e-3)
  const crossing = (period / Math.PI) * Math.acos(Math.min(1, (highTruth.f01 / maxFrequency) ** 2))
  const side = draw('side', -1, 1) < 0 ? -1 : 1
  const parked = offset + side * SHARE_AT_START * crossing + draw('parking', -20e-6, 20e-6)
  const difference = highTruth.f01 - lowTruth.f01
  const gap = Math.abs(difference + highTruth.anharmonicity)
  const amplitude = draw('gate_amplitude', 0.4, 0.7)
  const isParametric = design.kind === 'parametric'
  const stark = draw('stark', 3e6, 12e6) * (draw('stark_sign', -1, 1) < 0 ? -1 : 1)
  const edge: EdgeTruth = {
    high,
    low,
    kind: design.kind,
    max_frequency: maxFrequency,
    period,
    offset,
    coupling_high: draw('coupling_high', 40e6, 90e6),
    coupling_low: draw('coupling_low', 40e6, 90e6),
    coupling_direct: 0,
    held_at_start: design.parkingCurrent ?? parked,
    exchange: isParametric ? draw('exchange', 6e6, 10e6) : draw('exchange', 4e6, 7e6),
    shift: isParametric ? -draw('shift', 14e6, 55e6) : -gap / amplitude ** 2,
    stark_high: stark,
    stark_low: stark / 1.37,
    flux_noise: 5e-6,
    drive_leak: [draw('leak_to_low', 0, 0.02), draw('leak_to_high', 0, 0.02)],
    flux_leak: Object.fromEntries(others.map((other) => [other, draw(`flux_leak_${other}`, 0, 0.05)])),
  }
  // The direct coupling all but cancels that through the coupler, as far as the interaction left demands.
  const conditional = draw('conditional', 1e3, 30e3)
  const perSquare = conditionalShift(1, difference, highTruth.anharmonicity, lowTruth.anharmonicity)
  const exchange = Math.sqrt(conditional / Math.abs(perSquare))
  const mediated = mediatedExchange(edge, highTruth.f01, lowTruth.f01, edge.held_at_start)
  return { ...edge, coupling_direct: exchange - mediated }
}

function orderEnds({ parent, child }: EdgeDesign, qubits: Record<string, QubitTruth>): [string, string] {
  const isParentHigh = truthOf(qubits, parent).f01 >= truthOf(qubits, child).f01
  return isParentHigh ? [parent, child] : [child, parent]
}

function truthOf(qubits: Record<string, QubitTruth>, name: string): QubitTruth {
  const truth = qubits[name]
  if (!truth) throw new RangeError(`the chip has no qubit ${name}`)
  return truth
}
