import { describe, expect, test } from 'bun:test'
import { estimateNode, estimatePlan, warnOfDuration } from '../../../../src/devices/tuning/plan/estimate.ts'
import type { Routine } from '../../../../src/devices/tuning/routine.ts'
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
/** Qubits of a row, of which neighbors are kept apart, and those of a line where each is read alone. */
const inRow = (targets: readonly string[], { isReadAlone }: Routine) =>
  isReadAlone || targets.length < 3 ? targets : targets.slice(0, 2)

test.each([
  ['3 ordinary qubits and 2 edges, which took 2.9 h', 3, 2, 3e-4, false, 1.05],
  ['2 very good qubits and an edge, which took 81 h, with full waits', 2, 1, 15e-3, false, 31],
  ['them with shots that begin with a reading, which took 6.3 h', 2, 1, 15e-3, true, 5],
])('estimatePlan() of %s', (_, qubits, edges, reset, isHeralded, hours) => {
  const nodes = BUILT_IN_ROUTINES.map((each) => ({
    ...{ routine: each, ifMoved: [] },
    targets: Array.from(
      { length: each.kind === 'edge' ? edges : qubits },
      (__, at) => `${each.kind === 'edge'} ${at}`,
    ),
  }))
  const plan = { nodes, skipped: [], notes: [] }
  const times = { shotSeconds: reset + 5e-6, group: inRow, isHeralded }
  const found = estimatePlan(plan, { ...times, isVerified: true }) / 3600
  expect(found).toBeLessThan(hours)
  expect(found).toBeGreaterThan(0.9 * hours)
  expect(found).toBeGreaterThan(estimatePlan(plan, times) / 3600)
})

test('estimateNode() counts the shots that a routine begins with, and the part of the wait', () => {
  const size = { points: 100, shots: 1_000, firstPart: 1 / 4, wait: 1 / 2 }
  expect(estimateNode({ ...routine, size }, { shotSeconds: 3e-4 })).toBeCloseTo(1 + (100 * 250 * 3e-4) / 2)
})

describe('warnOfDuration()', () => {
  test('warns from 80 percent of the time limit on', () => {
    // 100 points of 1,000 shots of 0.3 ms and 10 ms: 31 s a target.
    expect(estimateNode(routine, { shotSeconds: 3e-4 })).toBeCloseTo(31)
    expect(warnOfDuration(planFor(185), 'fidelity_check', TIMES)).toBeUndefined()
    expect(warnOfDuration(planFor(186), 'fidelity_check', TIMES)).toBe(
      'the plan takes about 1.6 h, and the server stops a fidelity_check run after 2.0 h',
    )
    expect(warnOfDuration(planFor(186), 'partial', TIMES)).toBeUndefined()
  })
})
