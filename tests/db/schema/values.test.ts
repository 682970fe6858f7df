import { describe, expect, test } from 'bun:test'
import type { Field } from '../../../src/db/schema/field.ts'
import {
  bool,
  choice,
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
    ...['a\0b', 'a\ud800b'].map((value): [string, Field, unknown, string, string] => [
      `text ${JSON.stringify(value)}`,
      text(),
      value,
      'validation_invalid_format',
      'Must not contain the character NUL (U+0000) or half of a surrogate pair; remove it.',
    ]),
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
    ['choice', choice(['a', 'b']), 'c', 'validation_invalid_value', 'Invalid value c; expected a, b.'],
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

  test.each(cases)('rejects: %s', (_name, field, value, code, message) => {
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

test('initialValue() is the declared default or the empty value', () => {
  expect(initialValue(choice(['a', 'b'], { default: 'b' }))).toBe('b')
  expect(initialValue(bool({ default: true }))).toBe(true)
  expect(initialValue(integer({ default: 3 }))).toBe(3)
  expect(initialValue(json())).toBeNull()
})
