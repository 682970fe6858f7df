import fc from 'fast-check'

/**
 * Seeds for generators of random numbers: the same in each run, others with `SVC_TEST_SEED=random`. A test
 * names the seed in what it expects, so that a failure can be repeated.
 */
export function drawnSeeds(count: number): number[] {
  return fc.sample(fc.nat(2 ** 31 - 1), count)
}
