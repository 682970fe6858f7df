import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { orderGraph, parentsThrough, reachable } from '../../../../src/devices/tuning/plan/graph.ts'

const node = (name: string, ...dependsOn: string[]) => ({ name, dependsOn })

/** Directed graphs without cycles: each node depends on earlier ones only. */
const acyclic = fc
  .array(fc.array(fc.nat({ max: 30 }), { maxLength: 4 }), { minLength: 1, maxLength: 12 })
  .map((rows) =>
    rows.map((row, at) => node(`n${at}`, ...new Set(row.filter((to) => to < at).map((to) => `n${to}`)))),
  )

describe('orderGraph()', () => {
  test('puts every node after what it depends on, and keeps the given order otherwise', () => {
    fc.assert(
      fc.property(acyclic, fc.infiniteStream(fc.nat()), (nodes, numbers) => {
        const shuffled = nodes
          .map((each) => ({ each, by: numbers.next().value }))
          .sort((one, other) => one.by - other.by)
          .map(({ each }) => each)
        const ordered = orderGraph(shuffled).map(({ name }) => name)
        expect([...ordered].sort()).toEqual(nodes.map(({ name }) => name).sort())
        for (const { name, dependsOn } of nodes)
          for (const above of dependsOn) expect(ordered.indexOf(above)).toBeLessThan(ordered.indexOf(name))
        expect(orderGraph(nodes)).toEqual(nodes)
      }),
    )
  })

  test.each([
    ['a diamond', [node('d', 'b', 'c'), node('b', 'a'), node('c', 'a'), node('a')], 'a b c d'],
    ['two roots', [node('c', 'b'), node('a'), node('b')], 'a b c'],
    ['a chain', [node('c', 'b'), node('b', 'a'), node('a')], 'a b c'],
  ])('orders %s', (_, nodes, expected) => {
    expect(
      orderGraph(nodes)
        .map(({ name }) => name)
        .join(' '),
    ).toBe(expected)
  })

  test('names a cycle, an unknown dependency and a name that is used twice', () => {
    expect(() => orderGraph([node('a'), node('b', 'd', 'a'), node('c', 'b'), node('d', 'c')])).toThrow(
      /depend on each other: b -> d -> c -> b/,
    )
    expect(() => orderGraph([node('a', 'z')])).toThrow('a depends on an unknown routine: z')
    expect(() => orderGraph([node('a'), node('a')])).toThrow('two routines have the name a')
  })
})

describe('parentsThrough()', () => {
  test('replaces a node that is left out by its parents, also in a cycle', () => {
    const parents: Record<string, string[]> = { d: ['c', 'b'], c: ['b'], b: ['a'], a: ['d'] }
    const parentsOf = (name: string) => parents[name] ?? []
    expect(parentsThrough('d', parentsOf, () => true)).toEqual(['c', 'b'])
    expect(parentsThrough('d', parentsOf, (name) => name === 'a')).toEqual(['a'])
    expect(parentsThrough('d', parentsOf, () => false)).toEqual([])
  })
})

describe('reachable()', () => {
  test('ends in a cycle', () => {
    const next = (name: string) => ({ a: ['b'], b: ['c'], c: ['a'] })[name] ?? []
    expect(reachable(['a'], next)).toEqual(new Set(['b', 'c', 'a']))
  })
})
