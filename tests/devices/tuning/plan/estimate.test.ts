import { describe, expect, test } from 'bun:test'
import { estimateNode, warnOfDuration } from '../../../../src/devices/tuning/plan/estimate.ts'
import { scriptedRoutine } from '../../../support/tuning/scripted.ts'

const routine = { ...scriptedRoutine({ name: 'slow' }), size: { points: 100, shots: 1_000 } }
const planFor = (count: number) => ({
  nodes: [{ routine, targets: Array.from({ length: count }, (_, at) => `q${at}`), ifMoved: [] }],
  skipped: [],
  notes: [],
})

describe('warnOfDuration()', () => {
  test('warns from 80 percent of the time limit on', () => {
    // 100 points of 1,000 shots of 0.3 ms and 10 ms: 31 s a target.
    expect(estimateNode(routine, 3e-4)).toBeCloseTo(31)
    expect(warnOfDuration(planFor(185), 'fidelity_check', 3e-4)).toBeUndefined()
    expect(warnOfDuration(planFor(186), 'fidelity_check', 3e-4)).toBe(
      'the plan takes about 1.6 h, and the server stops a fidelity_check run after 2.0 h',
    )
    expect(warnOfDuration(planFor(186), 'partial', 3e-4)).toBeUndefined()
  })
})
