import { expect, test } from 'bun:test'
import { Recent } from '../../../src/base/index.ts'

function recentOf(...keys: string[]) {
  const recent = new Recent<string>({ entries: 3, size: 100 })
  for (const key of keys) recent.add(key, `value of ${key}`, 10)
  return { recent, kept: () => ['a', 'b', 'c', 'd'].filter((key) => recent.get(key) !== undefined) }
}

test('Recent keeps the values that were added last', () => {
  const { recent, kept } = recentOf('a', 'b', 'c', 'd')
  expect(kept()).toEqual(['b', 'c', 'd'])
  expect(recent.get('d')).toBe('value of d')
})

test('Recent evicts the oldest above the sum of the sizes, and a value that is larger alone', () => {
  const { recent, kept } = recentOf('a', 'b')
  recent.add('c', '', 85)
  expect(kept()).toEqual(['b', 'c'])
  recent.add('d', '', 101)
  expect(kept()).toEqual([])
  recent.add('a', '', 100)
  expect(kept()).toEqual(['a'])
})

test('Recent counts a repeated key once, as the newest', () => {
  const { recent, kept } = recentOf('a', 'b', 'c')
  for (let round = 0; round < 20; round++) recent.add('a', 'again', 10)
  expect(kept()).toEqual(['a', 'b', 'c'])
  recent.add('d', '', 10)
  expect(kept()).toEqual(['a', 'c', 'd'])
})
