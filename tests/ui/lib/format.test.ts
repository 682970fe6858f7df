import { expect, test } from 'bun:test'
import {
  formatCount,
  formatNumberOf,
  formatOrdinal,
  formatSeconds,
  formatShare,
  sentence,
  spellCount,
} from '../../../ui/lib/format.ts'

/** The no-break space between groups, made visible. */
const visible = (text: string) => text.replaceAll('\u00a0', '_')

test.each([
  [0, '0'],
  [999, '999'],
  [1000, '1_000'],
  [8192, '8_192'],
  [1000000, '1_000_000'],
  [2.6, '3'],
])('formatCount(%p) groups digits by three: %s', (value, text) => {
  expect(visible(formatCount(value))).toBe(text)
})

test.each([
  [0, '0 s'],
  [0.0004, '0 s'],
  [0.84, '0.84 s'],
  [2.13, '2.1 s'],
  [59.96, '60 s'],
  [60, '1 min'],
  [125, '2 min 5 s'],
  [4360, '1 h 12 min 40 s'],
  [3600, '1 h'],
  [7_200_000, '2_000 h'],
])('formatSeconds(%p) uses the significant units: %s', (value, text) => {
  expect(visible(formatSeconds(value))).toBe(text)
})

test.each([
  [0, '0.0 %'],
  [0.0004, '< 0.1 %'],
  [0.507, '50.7 %'],
  [1, '100.0 %'],
])('formatShare(%p) is %s', (value, text) => {
  expect(formatShare(value)).toBe(text)
})

test('formatOrdinal() has the suffix as spoken', () => {
  expect([1, 2, 3, 4, 10, 11, 12, 13, 21, 22, 103, 111, 112].map(formatOrdinal)).toEqual([
    '1st',
    '2nd',
    '3rd',
    '4th',
    '10th',
    '11th',
    '12th',
    '13th',
    '21st',
    '22nd',
    '103rd',
    '111th',
    '112th',
  ])
})

test('formatNumberOf() spells out small numbers and uses the plural', () => {
  expect(formatNumberOf(0, 'job')).toBe('no jobs')
  expect(formatNumberOf(1, 'job')).toBe('one job')
  expect(formatNumberOf(12, 'job')).toBe('twelve jobs')
  expect(formatNumberOf(13, 'job')).toBe('13 jobs')
})

test('spellCount() uses digits from thirteen on', () => {
  expect([0, 2, 12, 13, 1000].map((value) => visible(spellCount(value)))).toEqual([
    'no',
    'two',
    'twelve',
    '13',
    '1_000',
  ])
})

test('sentence() changes the first letter only', () => {
  expect(sentence('one QPU')).toBe('One QPU')
  expect(sentence('')).toBe('')
})
