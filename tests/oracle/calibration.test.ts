import { describe, expect, test } from 'bun:test'
import { temporaryFolder } from '../support/temporary-folder.ts'
import { openBench } from '../support/tuning/acceptance/cold-run.ts'
import { designFile } from '../support/tuning/acceptance/design-file.ts'

/** Tolerances from which on a value is wrong, and the share of values that has to be within one. */
const WRONG = 3
const SHARE_WITHIN = 0.9

/** `bun bench/tuning/acceptance.ts` calibrates chips of random seeds, and has the share of each routine. */
describe('a cold chip', () => {
  test.each([
    [1, 4],
    [-1, 12],
  ])('of handedness %i, seed %i, is calibrated to its hidden truth', async (hand, seed) => {
    using folder = temporaryFolder()
    const deviceFile = designFile({ columns: 2, rows: 1 })
    const bench = await openBench({ folder: folder.path, deviceFile, seed })
    expect(bench.truth.hand).toBe(hand as 1 | -1)
    const { routines = [] } = await bench.calibrate()
    const failed = routines.filter(({ status }) => status === 'failed')
    expect(failed.length).toBeLessThanOrEqual((1 - SHARE_WITHIN) * routines.length)
    const last = new Map(bench.observed.map((each) => [`${each.taken.routine} ${each.taken.target}`, each]))
    const judged = [...last.values()].flatMap((each) => each.judged)
    expect(judged.filter(({ distance }) => !(distance <= WRONG))).toEqual([])
    const within = judged.filter(({ distance }) => distance <= 1)
    expect(within.length).toBeGreaterThan(SHARE_WITHIN * judged.length)
  })
})
