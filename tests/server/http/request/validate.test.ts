import { expect, test } from 'bun:test'
import * as v from 'valibot'
import { AppError } from '../../../../src/base/index.ts'
import { validate } from '../../../../src/server/http/request/validate.ts'

/** The message about the field `value`. */
function refusal(schema: v.GenericSchema, value: unknown): string {
  try {
    validate(v.object({ value: schema }), { value })
  } catch (error) {
    if (error instanceof AppError) return error.fields?.['value']?.message ?? ''
  }
  return ''
}

test.each([
  [v.pipe(v.number(), v.maxValue(60)), 61, 'Expected at most 60 (got 61).'],
  [v.pipe(v.number(), v.minValue(1)), 0, 'Expected at least 1 (got 0).'],
  [v.pipe(v.string(), v.maxLength(3)), 'abcd', 'Expected at most 3 characters (got 4).'],
  [v.pipe(v.array(v.string()), v.maxLength(1)), ['a', 'b'], 'Expected at most 1 items (got 2).'],
  [v.pipe(v.array(v.string()), v.minLength(1)), [], 'Expected at least 1 items (got 0).'],
  [v.pipe(v.string(), v.nonEmpty()), '', 'Cannot be blank.'],
  [v.string(), undefined, 'Cannot be blank.'],
  [v.string(), 7, 'Expected a text (got 7).'],
  [v.array(v.string()), 'a', 'Expected a list (got "a").'],
  [v.record(v.string(), v.string()), 'x', 'Expected an object (got "x").'],
  [v.boolean(), 'x', 'Expected true or false (got "x").'],
  [v.picklist(['hex', 'packed']), 'zip', 'Expected one of hex, packed (got "zip").'],
  [v.pipe(v.string(), v.regex(/^[a-z]+$/, 'Expected small letters')), 'X', 'Expected small letters.'],
])('a refusal of %# states what is expected in plain words', (schema, value, message) => {
  expect(refusal(schema, value)).toBe(message)
})
