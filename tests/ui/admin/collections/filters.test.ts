import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { idsFilter, referringFilters } from '../../../../ui/admin/collections/filters.ts'
import { referencesTo } from '../../../../ui/admin/collections/model.ts'
import { all, users } from '../names.ts'

test('what refers to records is found by filters that the server accepts, each record in one of them', () => {
  const references = referencesTo(users, all)
  expect(references.map(({ collection, field }) => `${collection.name}.${field.name}`)).toEqual([
    'time_slots.user',
    'time_slots.guests',
  ])
  fc.assert(
    fc.property(
      fc.uniqueArray(fc.stringMatching(/^[a-z0-9]{15}$/), { minLength: 1, maxLength: 300 }),
      (ids) => {
        for (const reference of references) {
          const filters = referringFilters(reference, ids)
          expect(filters.every((filter) => filter.length < 3_500)).toBe(true)
          expect(filters.join().match(/"[a-z0-9]{15}"/g)).toHaveLength(ids.length)
        }
      },
    ),
  )
  expect(referringFilters(references[1] ?? missing(), ['a'])).toEqual(['guests.id?="a"'])
  expect(idsFilter(['a', 'b'])).toBe('id="a"||id="b"')
})

function missing(): never {
  throw new Error('There are fewer references')
}
