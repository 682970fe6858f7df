import { expect, test } from 'bun:test'
import { refusedPlace, unknownName } from '../../../../ui/admin/filter/problem.ts'
import { names } from '../names.ts'

test.each([
  ['kind = "own" && usr = "x"', 16, 3, 'time_slots has no field “usr”.'],
  ['user.emial ~ "a"', 0, 10, 'users has no field “emial”.'],
  ['kind.name = 1', 0, 9, 'kind is not a relation, so no name can follow it.'],
  ['start > @noon', 8, 5, 'There is no @noon.'],
  ['strfdate("%Y", start) = "2026"', 0, 8, 'There is no function strfdate.'],
])('the unknown name in %s is found', (filter, at, length, message) => {
  expect(unknownName(filter, names)).toEqual({ at, length, message })
})

test.each([
  'user.email ~ "a" && start > @now',
  'guests.email ?= "a" || guests:length > 2',
  'notes.author.name = "x"',
  'user.time_slots_via_user.kind ?= "own"',
  'strftime("%Y", start) = "2026" && kind != null',
  '@request.auth.id != "" && @collection.users.id ?= user',
])('every name in %s is known', (filter) => {
  expect(unknownName(filter, names)).toBeUndefined()
})

test('the place in a refusal of the server is found', () => {
  expect(refusedPlace('a = = 1', 'A name is missing at character 5')).toMatchObject({ at: 4, length: 1 })
  expect(refusedPlace('a =', 'The filter ends, but a name is missing')).toMatchObject({ at: 3 })
  expect(refusedPlace('a = 1', 'Too costly')).toBeUndefined()
})
