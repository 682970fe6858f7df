import { Database } from 'bun:sqlite'
import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import type { Field } from '../../../../src/db/schema/field.ts'
import * as fields from '../../../../src/db/schema/fields/index.ts'
import { fieldError, initialValue } from '../../../../src/db/schema/values.ts'
import { SQLITE } from '../../../../src/db/sqlite/sql/dialect.ts'

type Declared = typeof fields
/** The functions of the list that declare a field. */
type Kind = {
  [K in keyof Declared]: Declared[K] extends (...options: never[]) => Field ? K : never
}[keyof Declared]

interface Sample {
  readonly field: Field
  /** Two values that are not empty. */
  readonly values: readonly [unknown, unknown]
  /** A normalized value that the field refuses; absent if `normalize` turns any input into a value. */
  readonly refused?: unknown
}

/** A field of every kind; the compiler demands a sample of each function in the list. */
const SAMPLES: Record<Kind, Sample> = {
  text: { field: fields.text({ max: 5 }), values: ['ada', ' 🙂'], refused: 'longer' },
  email: { field: fields.email(), values: ['ada@example.org', 'b@example.org'], refused: 'ada' },
  number: { field: fields.number({ max: 9 }), values: [1.5, -2], refused: 10 },
  integer: { field: fields.integer({ min: 3 }), values: [3, 4], refused: 3.5 },
  seconds: { field: fields.seconds({ column: 'ms', min: 0 }), values: [0.001, 90.5], refused: -1 },
  bool: { field: fields.bool(), values: [true, true] },
  date: { field: fields.date(), values: ['2026-01-31 09:05:00.000Z', '1969-12-31 23:59:59.999Z'] },
  choice: { field: fields.choice(['a', "b'"], { default: 'a' }), values: ['a', "b'"], refused: 'c' },
  optionalChoice: { field: fields.optionalChoice(['a', 'b']), values: ['a', 'b'], refused: 'c' },
  relation: { field: fields.relation('users'), values: ['one', 'two'], refused: 7 },
  relations: { field: fields.relations('users'), values: [['one'], ['two', 'one']], refused: [7] },
  json: { field: fields.json({ maxBytes: 20 }), values: [{ a: [null] }, false] },
  largeJson: { field: fields.largeJson(Object, { maxBytes: 2 ** 21 }), values: [{ a: [null] }, false] },
}

describe.each(Object.entries(SAMPLES))('%s()', (_name, { field, values, refused }) => {
  const { kind } = field
  const [first, second] = values

  test('accepts its own values and the empty one', () => {
    for (const value of [...values, kind.emptyValue(), initialValue(field)]) {
      expect([value, kind.isValue(value), kind.normalize(value)]).toEqual([value, true, value])
      expect(fieldError({ ...field, required: false }, value)).toBeUndefined()
    }
    expect(kind.normalize(null)).toEqual(kind.emptyValue())
    expect(kind.normalize(undefined)).toEqual(kind.emptyValue())
  })

  test('refuses the empty value when it is required, and values outside its options', () => {
    expect(fieldError({ ...field, required: true }, kind.emptyValue())?.code).toBe('validation_required')
    if (refused !== undefined) expect(fieldError(field, refused)?.code).toStartWith('validation_')
  })

  test('stores its values in its column', () => {
    using database = new Database(':memory:', { strict: true })
    const column = kind.columnName(field, 'value')
    const definition = `"${column}" ${kind.columnType(field)} ${kind.columnConstraints(field, `"${column}"`)}`
    database.run(`CREATE TABLE stored (seq INTEGER PRIMARY KEY, ${definition}) STRICT`)
    const insert = database.query(`INSERT INTO stored ("${column}") VALUES ($value)`)
    for (const value of values) {
      const stored = kind.encode(value)
      expect(kind.storedError(field, stored)).toBeUndefined()
      insert.run({ value: stored ?? null })
    }
    database.run('INSERT INTO stored DEFAULT VALUES')
    const rows = database
      .query<{ stored: unknown; compared: unknown }, []>(
        `SELECT "${column}" AS stored, ${kind.filterSql(`"${column}"`, SQLITE)} AS compared FROM stored ORDER BY seq`,
      )
      .all()
    expect(rows.map(({ stored }) => kind.decode(stored))).toEqual([first, second, initialValue(field)])
    expect(rows.map(({ compared }) => kind.comparable(compared))).toEqual(
      rows.map(({ compared }) => compared),
    )
  })

  test('has a schema that its values match', () => {
    const { type, enum: choices } = kind.schema(field)
    for (const value of values) {
      const actual = Array.isArray(value) ? 'array' : typeof value
      expect(type ?? actual).toBe(actual)
      if (choices) expect(choices.some((each) => each === value)).toBe(true)
    }
  })
})

describe('normalize()', () => {
  test.each([
    [fields.number(), '12.5', 12.5],
    [fields.number(), '', 0],
    [fields.bool(), 'true', true],
    [fields.bool(), 'yes', false],
    [fields.date(), '2026-01-31T09:05:00+01:00', '2026-01-31 08:05:00.000Z'],
    [fields.date(), '2026-01-31', '2026-01-31 00:00:00.000Z'],
    [fields.date(), 'tomorrow', ''],
    [fields.relation('users'), ['a', 'b'], 'b'],
    [fields.relations('users'), 'a', ['a']],
    [fields.relations('users'), ['a', 'b', 'a', ''], ['a', 'b']],
    [fields.text(), 5, '5'],
    [fields.json(), { a: [null] }, { a: [null] }],
  ] satisfies [Field, unknown, unknown][])('%j takes %j as %j', (field, input, value) => {
    expect(field.kind.normalize(input)).toEqual(value)
  })
})

test('encode() and decode() are inverse', () => {
  const inverse = ({ kind }: Field, values: fc.Arbitrary<unknown>) =>
    fc.assert(
      fc.property(values, (value) => {
        expect(kind.decode(kind.encode(value))).toEqual(value)
      }),
      { numRuns: 50 },
    )
  inverse(fields.text(), fc.string())
  inverse(fields.number(), fc.double({ noNaN: true, noDefaultInfinity: true }))
  inverse(fields.bool(), fc.boolean())
  inverse(fields.relations('users'), fc.array(fc.string()))
  // JSON text has no -0.
  inverse(
    fields.json(),
    fc.jsonValue().map((value) => JSON.parse(JSON.stringify(value))),
  )
  inverse(
    fields.seconds({ column: 'ms' }),
    fc.integer({ min: -1e12, max: 1e12 }).map((ms) => ms / 1_000),
  )
})
