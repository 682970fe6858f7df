import { describe, expect, test } from 'bun:test'
import { BUILT_IN_ROUTINES } from '../../../../src/devices/tuning/routines/index.ts'
import { quietTruth } from '../../../support/simulated-chip/chips.ts'
import { acceptedDespite, FAULTS } from '../../../support/tuning/acceptance/faults.ts'
import { combinations } from '../../../support/whole.ts'

/** `bun bench/tuning/faults.ts` has hundreds a routine, and dead qubits. */
const SEED = 5
const QUICK = FAULTS.filter((fault) => fault !== 'dead')
const CASES = combinations(BUILT_IN_ROUTINES, QUICK)

describe('the routines of a calibration', () => {
  test.each(QUICK)('accept nothing from an instrument that returns %s', async (fault) => {
    const truth = { ...quietTruth(2, SEED), shots_noise: true }
    const accepted: string[] = []
    const cases = CASES.filter(([, other]) => other === fault)
    expect(cases.length).toBeGreaterThan(1)
    for (const [routine] of cases) {
      const found = await acceptedDespite(fault, routine, { truth, seed: SEED })
      if (found !== undefined) accepted.push(`${routine.name}: ${found}`)
    }
    expect(accepted).toEqual([])
  })
})
