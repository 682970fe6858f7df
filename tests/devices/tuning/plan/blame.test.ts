import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { blame, type CheckState } from '../../../../src/devices/tuning/plan/blame.ts'
import { reachable } from '../../../../src/devices/tuning/plan/graph.ts'

/** `name:state<parent,parent` */
function graph(...lines: string[]) {
  return new Map(
    lines.map((line) => {
      const [, name = '', state = '', above = ''] = /^(\w+):(\w+)<?(.*)$/.exec(line) ?? []
      return [name, { state: state as CheckState, parents: above === '' ? [] : above.split(',') }] as const
    }),
  )
}

describe('blame()', () => {
  test.each([
    ['a chain', graph('a:in', 'b:out<a', 'c:out<b'), ['b']],
    ['a diamond', graph('a:in', 'b:out<a', 'c:in<a', 'd:out<b,c'), ['b']],
    ['two roots', graph('a:out', 'b:out', 'c:out<a,b'), ['a', 'b']],
    ['an unknown node in the middle', graph('a:out', 'b:unknown<a', 'c:out<b'), ['a']],
    ['an unknown root', graph('a:unknown', 'b:out<a'), ['b']],
    ['nothing out', graph('a:in', 'b:unknown<a'), []],
    ['a passing check between', graph('a:out', 'b:in<a', 'c:out<b'), ['a']],
  ])('of %s', (_, nodes, blamed) => {
    expect([...blame(nodes)]).toEqual(blamed)
  })

  test('ends in a cycle', () => {
    expect(blame(graph('a:out<c', 'b:in<a', 'c:out<b'))).toEqual(new Set(['a', 'c']))
  })

  test('blames no node below a blamed one, explains every node that is out, and no other', () => {
    const state = fc.constantFrom<CheckState>('in', 'out', 'unknown')
    const graphs = fc
      .array(fc.tuple(state, fc.array(fc.nat({ max: 15 }), { maxLength: 3 })), { maxLength: 15 })
      .map((rows) =>
        rows.map(([each, above], at) => ({
          key: `n${at}`,
          state: each,
          parents: above.filter((to) => to < at).map((to) => `n${to}`),
        })),
      )
    fc.assert(
      fc.property(graphs, (rows) => {
        const nodes = new Map(rows.map(({ key, ...rest }) => [key, rest]))
        const blamed = blame(nodes)
        const above = (key: string) => reachable([key], (each) => nodes.get(each)?.parents ?? [])
        for (const [key, node] of nodes) {
          const causes = [...above(key)].filter((each) => blamed.has(each))
          if (blamed.has(key)) expect([node.state, causes]).toEqual(['out', []])
          else if (node.state === 'out') expect(causes).not.toEqual([])
        }
      }),
    )
  })
})
