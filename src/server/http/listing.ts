import * as v from 'valibot'

const whole = (min: number, max: number) =>
  v.pipe(v.string(), v.digits(), v.transform(Number), v.minValue(min), v.maxValue(max))

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
