import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import type { Field } from '../../../src/db/schema/field.ts'
import {
  bool,
  choice,
  date,
  email,
  integer,
  json,
  number,
  optionalChoice,
  relation,
  relations,
  seconds,
  text,
} from '../../../src/db/schema/fields/index.ts'
import { fieldError, initialValue } from '../../../src/db/schema/values.ts'

describe('fieldError()', () => {
  const cases: [name: string, field: Field, value: unknown, code: string, message: string][] = [
    ['required text', text({ required: true }), '', 'validation_required', 'Cannot be blank.'],
    ['required number 0', number({ required: true }), 0, 'validation_required', 'Cannot be blank.'],
    ['required false', bool({ required: true }), false, 'validation_required', 'Cannot be blank.'],
    [
      'required relations',
      { ...relations('users'), required: true },
      [],
      'validation_required',
      'Cannot be blank.',
    ],
    [
      'short text',
      text({ min: 3 }),
      'ab',
      'validation_min_text_constraint',
      'Must be at least 3 character(s).',
    ],
    [
      'long text',
      text({ max: 2 }),
      'abc',
      'validation_max_text_constraint',
      'Must be no more than 2 character(s).',
    ],
    [
      'long default',
      text(),
      'x'.repeat(5_001),
      'validation_max_text_constraint',
      'Must be no more than 5000 character(s).',
    ],
    ['pattern', text({ pattern: /^\d+$/ }), 'a1', 'validation_invalid_format', 'Invalid value format.'],
    ['object as text', text(), { a: 1 }, 'validation_invalid_format', 'Invalid value format.'],
    [
      'small number',
      number({ min: 2 }),
      1,
      'validation_min_number_constraint',
      'Must be greater or equal than 2.',
    ],
    [
      'large number',
      number({ max: 2 }),
      3,
      'validation_max_number_constraint',
      'Must be less or equal than 2.',
    ],
    [
      'negative seconds',
      seconds({ column: 'ms', min: 0 }),
      -1,
      'validation_min_number_constraint',
      'Must be greater or equal than 0.',
    ],
    ['fraction', integer(), 1.5, 'validation_only_int_constraint', 'Decimal numbers are not allowed.'],
    ['not a number', number(), Number.NaN, 'validation_not_a_number', 'The submitted value is not a number.'],
    [
      'infinite',
      number(),
      Number.POSITIVE_INFINITY,
      'validation_not_a_number',
      'The submitted value is not a number.',
    ],
    ['choice', choice(['a', 'b']), 'c', 'validation_invalid_value', 'Invalid value c.'],
    ['e-mail', email(), 'ada@', 'validation_is_email', 'Must be a valid email address.'],
    [
      'relation type',
      relation('users'),
      7,
      'validation_missing_rel_records',
      'Failed to find all relation records with the provided ids.',
    ],
    [
      'many relations',
      relations('users', { max: 1 }),
      ['a', 'b'],
      'validation_too_many_values',
      'Select no more than 1.',
    ],
    [
      'json size',
      json({ maxBytes: 4 }),
      'abcd',
      'validation_json_size_limit',
      'The maximum allowed JSON size is 4 bytes.',
    ],
    ['json function', json(), () => 1, 'validation_invalid_json', 'Must be a valid json value.'],
  ]

  test.each(cases)('refuses: %s', (_name, field, value, code, message) => {
    expect(fieldError(field, value) ?? field.kind.storedError(field, field.kind.encode(value))).toMatchObject(
      {
        code,
        message,
      },
    )
  })

  test('skips the range for 0 and counts characters, not code units', () => {
    expect(fieldError(number({ min: 2 }), 0)).toBeUndefined()
    expect(fieldError(text({ max: 2 }), '🙂🙂')).toBeUndefined()
    expect(fieldError(text({ min: 2 }), '🙂')?.code).toBe('validation_min_text_constraint')
    expect(fieldError(optionalChoice(['a']), '')).toBeUndefined()
    expect(fieldError(email(), "o'neil+tag@sub.example.org")).toBeUndefined()
  })
})

describe('normalize()', () => {
  test.each([
    [number(), '12.5', 12.5],
    [number(), '', 0],
    [bool(), 'true', true],
    [bool(), 'yes', false],
    [date(), '2026-01-31T09:05:00+01:00', '2026-01-31 08:05:00.000Z'],
    [date(), '2026-01-31', '2026-01-31 00:00:00.000Z'],
    [date(), 'tomorrow', ''],
    [relation('users'), ['a', 'b'], 'b'],
    [relations('users'), 'a', ['a']],
    [relations('users'), ['a', 'b', 'a', ''], ['a', 'b']],
    [text(), 5, '5'],
    [json(), { a: [null] }, { a: [null] }],
  ] satisfies [Field, unknown, unknown][])('%j takes %j as %j', (field, input, value) => {
    expect(field.kind.normalize(input)).toEqual(value)
  })

  test('takes null as the empty value of every kind', () => {
    for (const field of [
      text(),
      email(),
      number(),
      bool(),
      date(),
      relation('users'),
      relations('users'),
      json(),
    ]) {
      expect(field.kind.normalize(null)).toEqual(field.kind.emptyValue())
    }
  })
})

test('initialValue() is the declared default or the empty value', () => {
  expect(initialValue(choice(['a', 'b'], { default: 'b' }))).toBe('b')
  expect(initialValue(bool({ default: true }))).toBe(true)
  expect(initialValue(integer({ default: 3 }))).toBe(3)
  expect(initialValue(json())).toBeNull()
})

test('encode() and decode() are inverse for every kind', () => {
  const inverse = ({ kind }: Field, values: fc.Arbitrary<unknown>) =>
    fc.assert(
      fc.property(values, (value) => {
        expect(kind.decode(kind.encode(value))).toEqual(value)
      }),
      { numRuns: 50 },
    )
  inverse(text(), fc.string())
  inverse(number(), fc.double({ noNaN: true, noDefaultInfinity: true }))
  inverse(bool(), fc.boolean())
  inverse(relations('users'), fc.array(fc.string()))
  // JSON text has no -0.
  inverse(
    json(),
    fc.jsonValue().map((value) => JSON.parse(JSON.stringify(value))),
  )
  inverse(
    seconds({ column: 'ms' }),
    fc.integer({ min: -1e12, max: 1e12 }).map((ms) => ms / 1_000),
  )
})
