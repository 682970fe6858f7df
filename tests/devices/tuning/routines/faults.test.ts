import { describe, expect, test } from 'bun:test'
import { BUILT_IN_ROUTINES } from '../../../../src/devices/tuning/routines/index.ts'
import { quietTruth } from '../../../support/simulated-chip/chips.ts'
import { acceptedDespite, FAULTS } from '../../../support/tuning/acceptance/faults.ts'

/** `bun bench/tuning/faults.ts` has hundreds a routine, and dead qubits. */
const SEED = 5
const QUICK = FAULTS.filter((fault) => fault !== 'dead')

describe('the routines of a calibration', () => {
  test.each(QUICK)('accept nothing from an instrument that returns %s', async (fault) => {
    const truth = { ...quietTruth(2, SEED), shots_noise: true }
    const accepted: string[] = []
    for (const routine of BUILT_IN_ROUTINES) {
      const found = await acceptedDespite(fault, routine, { truth, seed: SEED })
      if (found !== undefined) accepted.push(`${routine.name}: ${found}`)
    }
    expect(accepted).toEqual([])
  })
})
