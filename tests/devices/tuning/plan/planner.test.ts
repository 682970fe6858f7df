import { describe, expect, test } from 'bun:test'
import { PAUSE } from '../../../../src/devices/fitting/steps.ts'
import { instancesOf, keyOf } from '../../../../src/devices/tuning/plan/instances.ts'
import {
  type CalibrationPlan,
  type CheckResult,
  type PlanInput,
  planFidelityCheck,
  planFull,
  planPartial,
  scopeOfPartial,
} from '../../../../src/devices/tuning/plan/planner.ts'
import { lineChip, scriptedRoutine } from '../../../support/tuning/scripted.ts'

const check = function* () {
  yield PAUSE
  return { state: 'in' as const, margin: 0 }
}
const ROUTINES = [
  scriptedRoutine({ name: 'find', writes: ['a'], check }),
  scriptedRoutine({ name: 'refine', dependsOn: ['find'], reads: ['a'], writes: ['b'], check }),
  scriptedRoutine({
    name: 'extra',
    dependsOn: ['refine'],
    reads: ['b'],
    writes: ['c'],
    needs: ['missing_c'],
  }),
  scriptedRoutine({ name: 'late', dependsOn: ['extra'], reads: ['b'], writes: ['d'] }),
  scriptedRoutine({ name: 'all_xy', dependsOn: ['late'] }),
  scriptedRoutine({
    kind: 'edge',
    name: 'gate',
    dependsOn: ['late'],
    reads: ['end:d'],
    writes: ['g'],
    check,
  }),
  scriptedRoutine({ kind: 'edge', name: 'cz_rb', dependsOn: ['gate', 'all_xy'] }),
]
const chip = lineChip(3)
const input = (over: Partial<PlanInput> = {}): PlanInput => ({
  ...{ routines: ROUTINES, chip, qubits: chip.qubits, edges: ['q0_q1', 'q1_q2'], isEnabled: () => true },
  ...over,
})

/** `routine: targets (targets that run if something moved)` */
function outline({ nodes }: CalibrationPlan): string[] {
  return nodes.map(({ routine, targets, ifMoved }) => {
    const moved = ifMoved.length > 0 ? ` (${ifMoved.join(' ')})` : ''
    return `${routine.name}: ${targets.join(' ')}${moved}`
  })
}

describe('instancesOf()', () => {
  test('passes through what is declined or disabled, on an edge for both qubits', () => {
    const { parentsOf, childrenOf, skipped } = instancesOf({
      ...{ routines: ROUTINES, chip, qubits: ['q0', 'q1'], edges: ['q0_q1'] },
      isEnabled: (name) => name !== 'late',
    })
    expect(parentsOf('gate q0_q1')).toEqual(['refine q0', 'refine q1'])
    expect([...childrenOf('refine q1')].sort()).toEqual(['all_xy q1', 'gate q0_q1'])
    expect(skipped.filter(({ target }) => target === 'q0')).toEqual([
      { routine: 'extra', target: 'q0', reason: 'declined', detail: 'needs missing_c' },
      { routine: 'late', target: 'q0', reason: 'disabled', detail: '' },
    ])
  })
})

describe('planFull()', () => {
  test('plans every routine that is enabled and not declined', () => {
    expect(outline(planFull(input()))).toEqual([
      'find: q0 q1 q2',
      'refine: q0 q1 q2',
      'late: q0 q1 q2',
      'all_xy: q0 q1 q2',
      'gate: q0_q1 q1_q2',
      'cz_rb: q0_q1 q1_q2',
    ])
  })
})

describe('planFidelityCheck()', () => {
  test('plans benchmarks only, on given targets and on the edges that are named', () => {
    expect(outline(planFidelityCheck(input()))).toEqual(['all_xy: q0 q1 q2', 'cz_rb: q0_q1 q1_q2'])
    expect(outline(planFidelityCheck(input(), ['q1']))).toEqual(['all_xy: q1'])
    expect(outline(planFidelityCheck(input(), ['q0_q1']))).toEqual(['all_xy: q0 q1', 'cz_rb: q0_q1'])
  })
})

describe('planPartial()', () => {
  const scope = scopeOfPartial(input(), ['q0'])
  const checks = (...out: string[]) =>
    new Map<string, CheckResult>(
      scope.checked.map(({ routine, target }, at) => {
        const key = keyOf(routine.name, target)
        return [key, out.includes(key) ? { state: 'out', margin: 2 + at } : { state: 'in', margin: 0.1 }]
      }),
    )

  test('widens the scope to the edges of a qubit and to their far ends', () => {
    expect(scope.checked.map(({ routine, target }) => keyOf(routine.name, target))).toEqual([
      ...['find q0', 'find q1', 'refine q0', 'refine q1', 'gate q0_q1'],
    ])
    expect([...scopeOfPartial(input(), ['q1_q2']).instances.byKey.keys()]).not.toContain('find q0')
  })

  test('runs what is blamed, and what comes after it if something moved', () => {
    const plan = planPartial(input(), scope, checks('refine q0', 'gate q0_q1'), () => 'measured')
    expect(outline(plan)).toEqual([
      'refine: q0',
      'late:  (q0)',
      'all_xy:  (q0)',
      'gate: q0_q1',
      'cz_rb:  (q0_q1)',
    ])
    expect(plan.notes).toEqual([
      'checked and calibrated with q0, because its gates need them: q1, q0_q1',
      'q0_q1: check of gate out by 6.00 times its limit, explained by what comes before it',
      'q0: check of refine out by 4.00 times its limit',
    ])
    expect(plan.skipped).toContainEqual({ routine: 'find', target: 'q0', reason: 'not_planned', detail: '' })
  })

  test('calibrates a far end only when it is blamed', () => {
    expect(outline(planPartial(input(), scope, checks('find q1'), () => 'measured'))).toEqual([
      'find: q1',
      'refine:  (q1)',
      'late:  (q1)',
      'all_xy:  (q1)',
      'gate:  (q0_q1)',
      'cz_rb:  (q0_q1)',
    ])
  })

  test('calibrates what was never measured when no check is out, else nothing', () => {
    const recordOf = (record: 'changed' | 'none') => (element: string, path: string) =>
      element === 'q0' && path === 'b' ? record : 'measured'
    for (const record of ['changed', 'none'] as const)
      expect(outline(planPartial(input(), scope, checks(), recordOf(record)))[0]).toBe('refine: q0')
    // What somebody changed is measured again whatever else is out.
    const plans = (['changed', 'none'] as const).map((record) =>
      outline(planPartial(input(), scope, checks('find q1'), recordOf(record))),
    )
    expect(plans.map(([first, second]) => [first, second])).toEqual([
      ['find: q1', 'refine: q0 (q1)'],
      ['find: q1', 'refine:  (q1)'],
    ])
    const nothing = planPartial(input(), scope, checks(), () => 'measured')
    expect(outline(nothing)).toEqual([])
    expect(nothing).toMatchObject({
      passedChecks: 5,
      notes: [
        'checked and calibrated with q0, because its gates need them: q1, q0_q1',
        'nothing was stale: 5 checks in',
      ],
    })
    const undecided = checks().set('find q0', { state: 'unknown', reason: 'no_data: zeros' })
    expect(planPartial(input(), scope, undecided, () => 'measured').notes.at(-1)).toBe(
      'nothing was stale: 4 checks in, 1 could not decide',
    )
  })

  test('does not miss a measurement of what the element has under another path', () => {
    const routines = [
      scriptedRoutine({ name: 'find', writes: ['missing'], optionalWrites: ['other'], check }),
    ]
    const only = { ...input(), routines }
    const plan = (measured: string) =>
      outline(
        planPartial(only, scopeOfPartial(only, ['q0']), checks(), (_, path) =>
          path === measured ? 'measured' : 'none',
        ),
      )
    expect([plan('other'), plan('none')]).toEqual([[], ['find: q0']])
  })

  test('lists checks that could not decide, which neither blame nor clear', () => {
    const results = checks('refine q0').set('find q0', { state: 'unknown', reason: 'no_data: zeros' })
    const plan = planPartial(input(), scope, results, () => 'measured')
    expect(outline(plan)[0]).toBe('refine: q0')
    expect(plan.notes).toContain('q0: check of find could not decide: no_data: zeros')
  })

  test('refuses targets that are not calibrated', () => {
    expect(() => scopeOfPartial(input(), [])).toThrow('needs target_qubits')
    expect(() => scopeOfPartial(input(), ['q0', 'q9'])).toThrow('names q9, which is not calibrated here')
  })
})
