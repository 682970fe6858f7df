import { meanOf } from '../../../../base/index.ts'
import { studentFactor } from '../../solve/student-t.ts'
import type { Steps } from '../../steps.ts'

/** Samples of random sequences, by depth and seed. */
export type SequenceSamples = readonly (readonly number[])[]

/** Fewest seeds whose scatter says anything. */
const MIN_SEEDS = 3

/** Means over the seeds, by depth. */
export function meansOf(samples: SequenceSamples): number[] {
  return samples.map(meanOf)
}

/**
 * Standard deviations of the means over the seeds, by depth: random sequences differ the more the deeper they
 * are, until nothing of the signal is left. Each depth has the scatter of itself and of both neighbors, which
 * a handful of seeds leaves uncertain. Undefined when there are too few seeds, or a depth without scatter.
 */
export function spreadsOf(samples: SequenceSamples): number[] | undefined {
  const seeds = samples[0]?.length ?? 0
  if (seeds < MIN_SEEDS) return undefined
  const variances = samples.map((all) => {
    const mean = meanOf(all)
    return all.reduce((sum, value) => sum + (value - mean) ** 2 / (seeds - 1), 0)
  })
  const spreads = variances.map((_, at) =>
    Math.sqrt(meanOf(variances.slice(Math.max(0, at - 1), at + 2)) / seeds),
  )
  return spreads.every((spread) => spread > 0 && Number.isFinite(spread)) ? spreads : undefined
}

/** The samples without those of one seed. */
export function withoutSeed(samples: SequenceSamples, seed: number): number[][] {
  return samples.map((all) => all.toSpliced(seed, 1))
}

/**
 * Standard errors of values that are estimated from random sequences: the scatter of the estimates without
 * one seed each (delete-one jackknife, B. Efron and C. Stein, Ann. Stat. 9, 586 (1981)), widened for few
 * seeds by {@link studentFactor}. They include how much sequences differ at each depth, and what all
 * sequences of a seed have in common. Undefined for fewer than 3 seeds, and when an estimate is.
 * @param estimateWithout the values without the sequences of a seed
 */
export function* jackknifeErrors<Name extends string>(
  seeds: number,
  estimateWithout: (seed: number) => Steps<Readonly<Record<Name, number>> | undefined>,
): Steps<Record<Name, number> | undefined> {
  if (seeds < MIN_SEEDS) return undefined
  const estimates: Readonly<Record<Name, number>>[] = []
  for (let seed = 0; seed < seeds; seed++) {
    const estimate = yield* estimateWithout(seed)
    if (!estimate) return undefined
    estimates.push(estimate)
  }
  const factor = studentFactor(seeds - 1) * Math.sqrt((seeds - 1) / seeds)
  const errorOf = (name: Name) => {
    const values = estimates.map((estimate) => estimate[name])
    const mean = meanOf(values)
    return factor * Math.sqrt(values.reduce((sum, value) => sum + (value - mean) ** 2, 0))
  }
  const names = Object.keys(estimates[0] ?? {}) as Name[]
  return Object.fromEntries(names.map((name) => [name, errorOf(name)])) as Record<Name, number>
}
