import { describe, expect, test } from 'bun:test'
import { estimateNode, estimatePlan, warnOfDuration } from '../../../../src/devices/tuning/plan/estimate.ts'
import { BUILT_IN_ROUTINES } from '../../../../src/devices/tuning/routines/index.ts'
import { scriptedRoutine } from '../../../support/tuning/scripted.ts'

const routine = { ...scriptedRoutine({ name: 'slow' }), size: { points: 100, shots: 1_000 } }
const planFor = (count: number) => ({
  nodes: [{ routine, targets: Array.from({ length: count }, (_, at) => `q${at}`), ifMoved: [] }],
  skipped: [],
  notes: [],
})

/** One after the other. */
const TIMES = { shotSeconds: 3e-4, group: (targets: readonly string[]) => [...targets] }
/** The qubits of a row, of which neighbors are kept apart. */
const inPairs = (targets: readonly string[]) => targets.slice(0, 2)

test.each([
  ['3 ordinary qubits and 2 edges, which took 2.9 h one by one with full waits', 3, 2, 3e-4, 1.6],
  ['2 very good qubits and an edge, which took 81 h', 2, 1, 15e-3, 54],
])('estimatePlan() of %s', (_, qubits, edges, reset, hours) => {
  const nodes = BUILT_IN_ROUTINES.map((each) => ({
    ...{ routine: each, ifMoved: [] },
    targets: Array.from({ length: each.kind === 'edge' ? edges : qubits }, (__, at) => `${at}`),
  }))
  const seconds = estimatePlan(
    { nodes, skipped: [], notes: [] },
    { shotSeconds: reset + 5e-6, group: inPairs },
  )
  expect(seconds / 3600).toBeLessThan(hours)
  expect(seconds / 3600).toBeGreaterThan(0.9 * hours)
})

describe('warnOfDuration()', () => {
  test('warns from 80 percent of the time limit on', () => {
    // 100 points of 1,000 shots of 0.3 ms and 10 ms: 31 s a target.
    expect(estimateNode(routine, 3e-4)).toBeCloseTo(31)
    expect(warnOfDuration(planFor(185), 'fidelity_check', TIMES)).toBeUndefined()
    expect(warnOfDuration(planFor(186), 'fidelity_check', TIMES)).toBe(
      'the plan takes about 1.6 h, and the server stops a fidelity_check run after 2.0 h',
    )
    expect(warnOfDuration(planFor(186), 'partial', TIMES)).toBeUndefined()
  })
})
