import { describe, expect, test } from 'bun:test'
import { AppError } from '../../../../src/base/index.ts'
import { parseFilter } from '../../../../src/db/filter/index.ts'
import { parseSort } from '../../../../src/db/filter/sort.ts'
import { likePattern } from '../../../../src/db/filter/sql/like.ts'

const A = { kind: 'identifier', name: 'a' }
const is = (left: object, right: object, operator = '=', any = false) => ({
  kind: 'compare',
  left,
  operator,
  any,
  right,
})
const one = { kind: 'number', value: 1 }

function problem(text: string): string {
  try {
    parseFilter(text)
  } catch (error) {
    if (error instanceof AppError && error.code === 'invalid' && error.reason === 'bad_filter')
      return error.message
    throw error
  }
  return 'accepted'
}

describe('parseFilter()', () => {
  test('binds && tighter than || and drops redundant brackets', () => {
    const ast: unknown = parseFilter('a=1||(a=1&&a=1)&&((a=1))')
    const c = is(A, one)
    expect(ast).toEqual({
      kind: 'or',
      terms: [c, { kind: 'and', terms: [{ kind: 'and', terms: [c, c] }, c] }],
    })
  })

  for (const operator of ['=', '!=', '>', '>=', '<', '<=', '~', '!~']) {
    test(`reads ${operator} and ?${operator}`, () => {
      const read: unknown[] = [parseFilter(`a${operator}1`), parseFilter(`a ?${operator} 1`)]
      expect(read).toEqual([is(A, one, operator), is(A, one, operator, true)])
    })
  }

  test('reads the output of JSON.stringify', () => {
    for (const text of [
      '',
      'a"b',
      "it's",
      'back\\slash',
      'line\nbreak\ttab\r',
      '\\n',
      'ünïcode 🎉',
      '\\\\"',
    ]) {
      const ast: unknown = parseFilter(`a = ${JSON.stringify(text)}`)
      expect(ast).toEqual(is(A, { kind: 'text', value: text }))
    }
  })

  test('leaves unknown escapes and the other quote unchanged', () => {
    const ast: unknown = parseFilter(`'\\d"' = "\\x'"`)
    expect(ast).toEqual(is({ kind: 'text', value: '\\d"' }, { kind: 'text', value: "\\x'" }))
  })

  test('reads names, numbers and calls', () => {
    const ast: unknown = parseFilter('@request.body.a_1:lower != f(-12.50, "x", g(_b))')
    expect(ast).toEqual(
      is(
        { kind: 'identifier', name: '@request.body.a_1:lower' },
        {
          kind: 'call',
          name: 'f',
          args: [
            { kind: 'number', value: -12.5 },
            { kind: 'text', value: 'x' },
            { kind: 'call', name: 'g', args: [{ kind: 'identifier', name: '_b' }] },
          ],
        },
        '!=',
      ),
    )
  })

  const refused: [filter: string, reason: RegExp][] = [
    ['', /The filter is blank/],
    ['  // only a comment', /The filter is blank/],
    ['()', /missing at character 2/],
    ['a', /operator such as = is missing at character 2/],
    ['a =', /The filter ends, but/],
    ['a = 1 &&', /The filter ends, but/],
    ['a = 1 a = 2', /&& or \|\| before character 7/],
    ['a = 1 & a = 2', /instead of & at character 7/],
    ['a = 1 &&& a = 2', /instead of &&&/],
    ['a == 1', /== at character 3 is not an operator/],
    ['a ?? 1', /\?\? at character 3/],
    ['a <> 1', /<> at character 3/],
    ['(a = 1', /bracket at character 1 is not closed/],
    ['a = 1)', /before character 6/],
    ['a = "x', /begins at character 5 is not closed/],
    ['a = \'x"', /not closed with '/],
    ['a = 1.', /malformed/],
    ['a = 1.2.3', /malformed/],
    ['a = 1e3', /malformed/],
    ['a = .5', /unexpected "\."/],
    ['a = --1', /unexpected "-"/],
    ['a. = 1', /must not end in/],
    ['a: = 1', /must not end in/],
    ['a = 1\r', /unexpected "\\r"/],
    ['a = 1;', /unexpected ";"/],
    ['a = $p0', /unexpected "\$"/],
    ['f() = 1', /missing at character 3/],
    ['f(1 2) = 1', /comma or \) is missing/],
    ['f(1', /comma or \) is missing/],
    ['f(f(f(f(1)))) = 1', /more than 3 nested functions/],
    [`${'('.repeat(33)}a = 1${')'.repeat(33)}`, /more than 32 nested brackets/],
    [Array.from({ length: 201 }, () => 'a=1').join('||'), /more than 200 comparisons/],
    [`a = "${'x'.repeat(3_500)}"`, /3506 characters; at most 3500/],
  ]
  for (const [filter, reason] of refused) {
    test(`rejects ${JSON.stringify(filter.slice(0, 30))}`, () => expect(problem(filter)).toMatch(reason))
  }

  test('accepts the largest allowed filter', () => {
    expect(problem(Array.from({ length: 200 }, () => 'a=1').join('||'))).toBe('accepted')
    expect(problem(`${'('.repeat(32)}a = 1${')'.repeat(32)}`)).toBe('accepted')
    expect(problem(`a = "${'x'.repeat(3_494)}"`)).toBe('accepted')
  })
})

describe('parseSort()', () => {
  test('reads directions and blanks', () => {
    expect(parseSort(' -a.b , +c:lower,@random ')).toEqual([
      { name: 'a.b', descending: true },
      { name: 'c:lower', descending: false },
      { name: '@random', descending: false },
    ])
    expect(parseSort('  ')).toEqual([])
  })
})

describe('likePattern()', () => {
  const cases: [text: string, pattern: string][] = [
    ['abc', '%abc%'],
    ['', '%%'],
    ['a_b', '%a\\_b%'],
    ['a\\b', '%a\\\\b%'],
    ['a\\_b', '%a\\_b%'],
    ['50\\%', '%50\\%%'],
    ['a\\', '%a\\\\%'],
    ['a%', 'a%'],
    ['%a_b', '%a_b'],
    ['\\\\%', '\\\\%'],
    ['a%\\', 'a%\\\\'],
    ['a%\\\\', 'a%\\\\'],
  ]
  for (const [text, pattern] of cases) {
    test(`turns ${pattern} into ${text}`, () => expect(likePattern(text)).toBe(pattern))
  }
})
