import { branchShift, couplerFrequency } from '../../../../src/devices/bench/simulated/dynamics/coupler.ts'
import type { Coupling } from '../../../../src/devices/bench/simulated/state/conditions.ts'
import { GATE_CLAIMS } from './gate-claims.ts'
import { type Claim, type CouplerTruth, claim, type Taken } from './taken.ts'

/** Tolerances of currents in A, of frequencies in Hz, and relative ones of couplings. */
const TOLERANCE = {
  sweetSpot: 10e-6,
  crossing: 20e-6,
  coupling: 0.1,
  resonance: 300e3,
  gateFrequency: 100e3,
  exchange: 0.02,
} as const

/** What is true of the findings of the routines of an edge, by routine. */
export const EDGE_CLAIMS: Readonly<Record<string, (taken: Taken) => Claim[]>> = {
  ...GATE_CLAIMS,
  coupler_anticrossing(taken) {
    const { coupler, target } = taken
    if (!coupler) return []
    const { edge, shared } = coupler
    const [parent] = target.split('_')
    const ordered = [edge.coupling_high, edge.coupling_low]
    const couplings = edge.high === parent ? ordered : ordered.reverse()
    const ends = ['coupling_parent', 'coupling_child'].flatMap((key, at) => {
      const truth = couplings[at] ?? Number.NaN
      return figureClaim(taken, key, truth, TOLERANCE.coupling * truth)
    })
    const truths = crossingsOf(taken, coupler)
    const crossings = Object.keys(taken.finding.quality ?? {})
      .filter((key) => key.startsWith('crossing_'))
      .flatMap((key) => {
        const value = taken.finding.quality?.[key] ?? Number.NaN
        const nearest = truths.reduce((best, each) =>
          Math.abs(each - value) < Math.abs(best - value) ? each : best,
        )
        return figureClaim(taken, key, nearest, TOLERANCE.crossing)
      })
    return [
      ...figureClaim(taken, 'sweet_spot', edge.offset - shared, TOLERANCE.sweetSpot),
      ...ends,
      ...crossings,
    ]
  },
  cz_parametrization: (taken) => figureClaim(taken, 'resonance', resonanceOf(taken), TOLERANCE.resonance),
  cz_chevron(taken) {
    const amplitude = taken.self.number('cz.square_amp')
    const { gate } = couplingOf(taken)
    const exchange = gate.coupling * amplitude
    return [
      ...claim(
        taken,
        'clock_freqs.cz',
        resonanceOf(taken) + gate.shift * amplitude ** 2,
        TOLERANCE.gateFrequency,
      ),
      ...figureClaim(taken, 'exchange', exchange, TOLERANCE.exchange * exchange),
    ]
  },
}

/** A claim about a figure of a fit. */
function figureClaim({ finding }: Taken, name: string, truth: number, tolerance: number): Claim[] {
  const value = finding.quality?.[name]
  return value === undefined ? [] : [{ path: name, value, truth, tolerance }]
}

function couplingOf({ chip, target }: Taken): Coupling {
  const found = chip.couplings.find(({ name }) => name === target)
  if (!found) throw new Error(`the chip has no edge ${target}`)
  return found
}

function frequencyOf({ chip }: Taken, qubit: string): number {
  return chip.transmons.get(qubit)?.f01 ?? Number.NaN
}

/** Where a weak tone exchanges 11 and 20, Hz. */
function resonanceOf(taken: Taken): number {
  const { high, low, gate } = couplingOf(taken)
  const anharmonicity = taken.chip.transmons.get(high)?.anharmonicity ?? Number.NaN
  return Math.abs(frequencyOf(taken, high) - frequencyOf(taken, low) + anharmonicity) + gate.offset
}

/** Currents at which the coupler has the frequency of a qubit without their interaction, A. */
function crossingsOf(taken: Taken, { edge, shared, held }: CouplerTruth): number[] {
  const coupler = couplerFrequency(edge, held + shared)
  const ends = [
    [edge.high, edge.coupling_high],
    [edge.low, edge.coupling_low],
  ] as const
  return ends.flatMap(([qubit, coupling]) => {
    const f01 = frequencyOf(taken, qubit)
    let bare = f01
    for (let round = 0; round < 4; round++) bare = f01 - branchShift(bare, coupler, coupling)
    const distance = (edge.period / Math.PI) * Math.acos((bare / edge.max_frequency) ** 2)
    const middles = [-edge.period, 0, edge.period].map((by) => edge.offset - shared + by)
    return middles.flatMap((middle) => [middle - distance, middle + distance])
  })
}
