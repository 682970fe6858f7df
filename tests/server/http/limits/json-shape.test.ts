import { describe, expect, test } from 'bun:test'
import { AppError } from '../../../../src/base/index.ts'
import {
  assertWithinJsonLimits,
  BODY_LIMITS,
  type JsonLimits,
} from '../../../../src/server/http/limits/json-shape.ts'

const limits: JsonLimits = { subject: 'body', depth: 3, keys: 2, parts: 8, values: 10 }
const check = (value: unknown, own: JsonLimits = limits) =>
  assertWithinJsonLimits(typeof value === 'string' ? value : JSON.stringify(value), own)

describe('assertWithinJsonLimits()', () => {
  for (const [what, within, beyond, named] of [
    ['nesting', [[[1]]], [[[[1]]]], '3 levels'],
    ['keys of one object', { a: 1, b: [{ c: 1, d: 2 }] }, { a: { b: 1 }, c: 1, d: 1 }, '2 keys'],
    ['texts, lists and objects', ['', '', '', '', '', '', ''], ['', '', '', '', '', '', '', ''], '8 texts'],
    ['values', [1, 2, 3, 4, 5, 6, 7, 8, 9, 0], [1, 2, 3, 4, 5, 6, 7, 8, 9, 0, 1], '10 values'],
  ] as const) {
    test(`limits ${what}, naming the limit`, () => {
      check(within)
      expect(() => check(beyond)).toThrow(named)
      expect(() => check(beyond)).toThrow(AppError)
    })
  }

  test('does not count what a text contains', () => {
    for (const text of ['{[,:'.repeat(9), '\\"[[[[', '\\\\"', '\\'.repeat(7), '"', '']) {
      check(JSON.stringify([text, [text, 1]]))
      expect(() => check(JSON.stringify([text, [[[1]]]]))).toThrow('levels')
    }
  })

  test('ends at the end of a broken text', () => {
    for (const text of ['"', '"\\', '["a\\"', ']]]]', '}{', '::']) expect(() => check(text)).not.toThrow()
  })

  test('guests may send far less than users', () => {
    const keys = (count: number) =>
      Object.fromEntries(Array.from({ length: count }, (_, at) => [`k${at}`, 0]))
    check(keys(500), BODY_LIMITS.guest)
    expect(() => check(keys(501), BODY_LIMITS.guest)).toThrow('500 keys')
    check(keys(1_000), BODY_LIMITS.user)
    expect(() => check(keys(1_001), BODY_LIMITS.user)).toThrow('1000 keys')
    const lists = (count: number) => `[${'[],'.repeat(count - 1)}0]`
    check(lists(5_000), BODY_LIMITS.guest)
    expect(() => check(lists(5_001), BODY_LIMITS.guest)).toThrow('5000 texts')
    check(lists(50_000), BODY_LIMITS.user)
    expect(() => check(lists(50_001), BODY_LIMITS.user)).toThrow('50000 texts')
    const numbers = (count: number) => `[${'0,'.repeat(count - 1)}0]`
    check(numbers(1_000_000), BODY_LIMITS.user)
    expect(() => check(numbers(1_000_001), BODY_LIMITS.user)).toThrow('1000000 values')
    expect(() => check(numbers(10_001), BODY_LIMITS.guest)).toThrow('10000 values')
  })
})
