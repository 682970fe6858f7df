import { describe, expect, test } from 'bun:test'
import { kinds, ValueError, type ValueKind } from '../../../src/base/index.ts'

const { bool, bytes, choice, duration, httpUrl, integer, ipAddress, list, nonEmptyList, nonEmptyText } = kinds
const { number, optional, path, rate, secret, seconds, text } = kinds

const lowerCase = text('name', { pattern: /^[a-z]+$/, expected: 'lower-case letters' })

const VALUES: [string, ValueKind<unknown>, string, unknown][] = [
  ['text', text(), '', ''],
  ['text of a form', lowerCase, 'abc', 'abc'],
  ['non-empty text', nonEmptyText(), 'x', 'x'],
  ['a path', path(), './data', './data'],
  ['a whole number', integer(), '+42', 42],
  ['a whole number at its bound', integer({ min: -3, max: 3 }), '-3', -3],
  ['a number', number(), '-1.5e-3', -0.0015],
  ['seconds', seconds(), '.5', 0.5],
  ['a duration', duration(), '1h30m', 5_400_000],
  ['a size', bytes(), '10gib', 10 * 1024 ** 3],
  ['a size of 0', bytes(), '0', 0],
  ['a switch', bool(), 'Yes', true],
  ['a switch that is off', bool(), 'OFF', false],
  ['a word', choice(['slow', 'fast']), ' fast ', 'fast'],
  ['an IPv6 address', ipAddress(), '::1', '::1'],
  ['an optional address', optional(ipAddress()), '', ''],
  ['an address', httpUrl(), 'https://lab.example/a', 'https://lab.example/a'],
  ['an empty list', list(text()), '', []],
  ['a list with empty items', list(text()), 'a, ,b,', ['a', 'b']],
  ['a list of numbers', nonEmptyList(integer()), '1, 2', [1, 2]],
  ['a rate', rate(), '0.5:20', { perSecond: 0.5, burst: 20 }],
  ['no limit', rate(), '0', { perSecond: 0, burst: 0 }],
]

test.each(VALUES)('%s is read, and its format is read as the same value', (_, kind, given, value) => {
  expect(kind.parse(given)).toEqual(value)
  expect(kind.parse(kind.format(value))).toEqual(value)
})

const ERRORS: [string, string, ValueKind<unknown>][] = [
  ['A1', 'expected lower-case letters', lowerCase],
  ['', 'the value is empty', nonEmptyText()],
  ['', 'the value is empty', path()],
  ['2.5', 'expected a whole number', integer()],
  ['9007199254740993', 'expected a whole number', integer()],
  ['0x10', 'expected a whole number', integer()],
  ['0', 'expected a whole number of at least 1', integer({ min: 1 })],
  ['8e0', 'expected a whole number from 1 to 9', integer({ min: 1, max: 9 })],
  ['2', 'expected a number of at most 1', number({ max: 1 })],
  ['1e999', 'expected a number', number()],
  ['', 'expected a number', number()],
  ['NaN', 'expected a number', number()],
  ['-1', 'expected a number of seconds of at least 0', seconds()],
  ['10 GB', 'expected a size such as 10GiB or 500MiB', bytes()],
  ['9999999999TiB', 'expected a size such as 10GiB or 500MiB', bytes()],
  ['5', 'expected a duration such as 720h, 30m or 90s', duration()],
  ['10ms', 'expected at least 1s', duration(1_000)],
  ['maybe', 'expected true or false', bool()],
  ['warp', 'expected one of slow, fast', choice(['slow', 'fast'])],
  ['300.0.0.1', 'expected an IPv4 or IPv6 address such as 10.0.0.5', ipAddress()],
  ['300.0.0.1', 'expected an IPv4 or IPv6 address such as 10.0.0.5', optional(ipAddress())],
  ['ftp://me:secret@lab', 'not an http or https address', httpUrl()],
  ['a,,b', 'an item is empty; separate items by single commas', nonEmptyList(text())],
  ['x', 'expected a whole number', nonEmptyList(integer())],
  ['1,x', 'item 2 ("x"): expected a whole number', nonEmptyList(integer())],
  ['1, ,x', 'item 2 ("x"): expected a whole number', list(integer())],
  ['http://lab,ftp://me:secret@lab', 'item 2: not an http or https address', nonEmptyList(httpUrl())],
  ['20', 'expected requests per second and burst such as 20:60, or 0', rate()],
  ['0:5', 'expected requests per second and burst such as 20:60, or 0', rate()],
]

test.each(ERRORS)('%p is refused: %s', (given, message, kind) => {
  expect(() => kind.parse(given)).toThrow(new ValueError(message))
})

describe('hints', () => {
  test('name the form of a value; switches have none', () => {
    const shown = [choice(['a', 'b']), nonEmptyList(choice(['a', 'b'])), integer(), seconds(), bool()]
    expect(shown.map(({ hint }) => hint)).toEqual(['a|b', 'a|b,…', 'n', 'seconds', ''])
  })

  test('secret() and path() mark their values', () => {
    expect(secret(text('token'))).toMatchObject({ hint: 'token', isSecret: true })
    expect(path()).toMatchObject({ hint: 'path', isPath: true })
  })
})
