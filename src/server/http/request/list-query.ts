import * as v from 'valibot'
import { type AppError, badField, fromTimestamp } from '../../../base/index.ts'
import { described } from '../schema.ts'

/** A whole number in a query. */
export const whole = (min: number, max: number) =>
  v.pipe(
    v.string(),
    v.digits(
      ({ received }) => `Expected a whole number from ${min} to ${max} (got ${received.slice(0, 80)})`,
    ),
    v.transform(Number),
    v.minValue(min),
    v.maxValue(max),
  )

/** A time in a query, as ms since the epoch. */
export const moment = described(
  v.pipe(
    v.string(),
    v.check(
      (text) => fromTimestamp(text) !== undefined,
      'Expected a time such as 2026-01-31, 2026-01-31 09:05:00.000Z or 2026-01-31T10:05:00+01:00',
    ),
    v.transform((text) => fromTimestamp(text) ?? Number.NaN),
  ),
  'A time such as 2026-01-31T09:05:00Z, or a day (UTC)',
)

/**
 * A query that refuses unknown parameters: a filter with a typing error would otherwise select everything.
 * `fields` selects the fields of any response.
 */
export function strictQuery<Entries extends v.ObjectEntries>(entries: Entries) {
  return v.strictObject({ ...entries, fields: v.optional(v.string()) })
}

/**
 * `omit`: fields of a response, of those with these `names`, that are left out. Clients that name what they
 * do not need get the fields of later releases.
 */
export function omitQuery({ entries }: { entries: v.ObjectEntries }) {
  const names = Object.keys(entries)
  return v.optional(
    described(
      v.pipe(
        v.string(),
        v.transform((text) => text.split(',').filter((name) => name !== '')),
        v.check(
          (given) => given.every((name) => names.includes(name)),
          ({ input }) => {
            const unknown = input.find((name) => !names.includes(name)) ?? ''
            return `There is no field "${unknown.slice(0, 80)}" to leave out; expected some of ${names.join(', ')}`
          },
        ),
      ),
      'Fields that the response leaves out, separated by commas, such as `payload,results`',
    ),
    '',
  )
}

/** A response without some of its fields. */
export function omitting<Body extends object>(body: Body, omit: readonly string[]): Partial<Body> {
  if (omit.length === 0) return body
  const kept: Partial<Body> = { ...body }
  for (const name of omit) Reflect.deleteProperty(kept, name)
  return kept
}

/** `skip`, `limit` and `sort` of the list routes; `sortable` names the fields that may be sorted by. */
export function listQuery(sortable: readonly [string, ...string[]], defaultSort: string) {
  return v.object({
    skip: v.optional(whole(0, Number.MAX_SAFE_INTEGER), '0'),
    limit: v.optional(whole(1, 1000), '100'),
    sort: v.optional(
      v.pipe(
        v.string(),
        v.description(`One of ${sortable.join(', ')}; - in front for descending order`),
        v.transform((text) => text.replace(/^[+ ]/, '')),
        v.check(
          (text) => sortable.includes(text.replace(/^-/, '')),
          `Expected one of ${sortable.join(', ')}, with - in front for descending order`,
        ),
      ),
      defaultSort,
    ),
  })
}

/** The error of a parameter whose value is valid on its own only. */
export function badQuery(field: string, problem: string): AppError {
  return badField('Invalid query parameter', field, problem)
}
