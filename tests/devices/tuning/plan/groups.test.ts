import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { type GroupRules, groupTargets } from '../../../../src/devices/tuning/plan/groups.ts'
import { lineChip } from '../../../support/tuning/scripted.ts'

const chip = lineChip(8)
const RULES: GroupRules = {
  ...{ enabled: true, qubitSpacing: 2, edgeSpacing: 1, maxGroup: 8, exclude: [], groups: {} },
}
const edges = chip.edges.map(({ name }) => name)

describe('groupTargets()', () => {
  test('keeps neighbors apart', () => {
    expect(groupTargets(chip.qubits, { chip, rules: RULES })).toEqual([
      ['q0', 'q2', 'q4', 'q6'],
      ['q1', 'q3', 'q5', 'q7'],
    ])
    expect(groupTargets(edges, { chip, rules: RULES })).toEqual([
      ['q0_q1', 'q3_q4', 'q6_q7'],
      ['q1_q2', 'q4_q5'],
      ['q2_q3', 'q5_q6'],
    ])
  })

  test('measures each target alone unless grouping is on', () => {
    const rules = { ...RULES, enabled: false }
    expect(groupTargets(['q0', 'q4'], { chip, rules })).toEqual([['q0'], ['q4']])
  })

  test('respects exclusions, shared readout lines and the size of a group', () => {
    const rules = { ...RULES, exclude: [['q4', 'q0']] as const, maxGroup: 2 }
    const canReadTogether = (one: string, other: string) => `${one}${other}` !== 'q0q2'
    expect(groupTargets(['q0', 'q2', 'q4', 'q6'], { chip, rules, canReadTogether })).toEqual([
      ['q0', 'q6'],
      ['q2', 'q4'],
    ])
  })

  test('takes groups of the configuration as they are, as far as their targets are measured', () => {
    const rules = { ...RULES, groups: { pair: ['q0', 'q1', 'q7'], none: ['q5'] } }
    expect(groupTargets(['q0', 'q1', 'q2', 'q4'], { chip, rules })).toEqual([
      ['q0', 'q1'],
      ['q2', 'q4'],
    ])
  })

  test('puts every target into one group, no two of them closer than the spacing', () => {
    const targets = fc.shuffledSubarray([...chip.qubits])
    fc.assert(
      fc.property(targets, fc.integer({ min: 1, max: 4 }), (all, qubitSpacing) => {
        const groups = groupTargets(all, { chip, rules: { ...RULES, qubitSpacing } })
        expect(groups.flat().sort()).toEqual([...all].sort())
        const at = (name: string | undefined) => Number(name?.slice(1))
        for (const group of groups) {
          const sorted = [...group].sort()
          for (const [index, name] of sorted.entries())
            if (index > 0) expect(at(name) - at(sorted[index - 1])).toBeGreaterThanOrEqual(qubitSpacing)
        }
      }),
    )
  })
})
