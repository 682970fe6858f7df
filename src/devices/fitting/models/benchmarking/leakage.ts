import { axisOf, logGrid } from '../../axes.ts'
import type { Estimate, Fit } from '../../fit.ts'
import { fitCurve, lineData } from '../../fit-curve.ts'
import type { Steps } from '../../steps.ts'
import { meansOf, type SequenceSamples, spreadsOf } from './sequences.ts'

const CANDIDATES = 60

/** A fitted growth of the population outside the computational states. */
export type Leakage = Record<'leakage_per_gate' | 'limit' | 'offset', Estimate>

type LeakageFit = Fit<Leakage>

/**
 * Fits the growth of a population outside the computational states, offset + limit·(1 − e^(−rate·depth));
 * wanted is the slope at the start, limit·rate (C. J. Wood and J. M. Gambetta, PRA 97, 032306 (2018)). Growth
 * that does not level off leaves limit and rate undetermined, but not their product.
 */
export function* fitLeakage(depths: ArrayLike<number>, leaked: SequenceSamples): Steps<LeakageFit> {
  const deepest = Math.max(1, ...Array.from(depths))
  const spreads = spreadsOf(leaked)
  return yield* fitCurve<'leakage_per_gate' | 'limit' | 'offset'>({
    ...lineData(
      'leakage',
      axisOf({ name: 'depth', unit: '' }, depths),
      axisOf({ name: 'P2', unit: '' }, meansOf(leaked)),
    ),
    ...(spreads && { spreads }),
    parameters: 3,
    curve: () => ({
      linear: 2,
      candidates: logGrid(0.02, 20, CANDIDATES).map((rate) => [rate]),
      lower: [1e-3, Number.NEGATIVE_INFINITY, Number.NEGATIVE_INFINITY],
      upper: [100, Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY],
      // In units of the slope: the second basis function rises by 1 per sweep at its start.
      basis:
        ([rate = 1]) =>
        (at, out) => {
          out[0] = 1
          out[1] = -Math.expm1((-rate * (depths[at] as number)) / deepest) / rate
        },
    }),
    describe: ([rate = 1, offset = 0, slope = 0]) => ({
      leakage_per_gate: slope / deepest,
      limit: slope / rate,
      offset,
    }),
    keys: [{ name: 'leakage_per_gate', scale: ({ leakage_per_gate }) => 2 * leakage_per_gate.value }],
  })
}

/**
 * Survivals at a depth as they would be if what left the computational states were mixed among them: the
 * decay then has the base of a mixed state, although the population of these states shrinks.
 */
export function withoutLeakage(
  depth: number,
  survivals: readonly number[],
  { leakage_per_gate: slope, limit }: Leakage,
  base: number,
): number[] {
  const lost = -limit.value * Math.expm1((-slope.value / limit.value) * depth)
  return survivals.map((value) => value + base * lost)
}
