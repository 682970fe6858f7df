import { expect, test } from 'bun:test'
import { NO_REQUEST } from '../../../src/db/filter/index.ts'
import { createClientConditions } from '../../../src/db/query/client-filter.ts'
import { createNames } from '../../../src/db/schema/names.ts'
import { SQLITE } from '../../../src/db/sqlite/sql/dialect.ts'
import { as, authors, LIBRARY, ROOT, shops } from '../filter/library.ts'

function openConditions() {
  return createClientConditions({
    collections: LIBRARY,
    dialect: SQLITE,
    names: createNames(LIBRARY, {}),
    rulesOf: ({ rules }) => rules,
  })
}

const ANN = as(authors, {
  id: 'ann000000000000',
  created: '',
  updated: '',
  email: 'ann@lab.org',
  emailVisibility: false,
  name: 'Ann',
  rank: 1,
  secret: '',
  hash: '',
  friend: '',
})

test('a filter or sort is compiled once for each kind of account', () => {
  const { filter, sort } = openConditions()
  const first = filter(shops, 'title = "a"', ANN)
  expect(filter(shops, 'title = "a"', { ...ANN, method: 'POST' })).toBe(first)
  expect(filter(shops, 'title = "b"', ANN)).not.toBe(first)
  expect(filter(shops, 'title = "a"', NO_REQUEST)).not.toBe(first)
  expect(sort(shops, '-title', ANN)).toBe(sort(shops, '-title', ANN))
})

test('what a superuser may name stays refused for others', () => {
  const { filter, sort } = openConditions()
  expect(filter(authors, 'secret = "x"', ROOT)).toBeDefined()
  expect(() => filter(authors, 'secret = "x"', ANN)).toThrow('secret')
  expect(() => filter(authors, 'secret = "x"', NO_REQUEST)).toThrow('secret')
  expect(sort(authors, 'secret', ROOT)).toBeDefined()
  expect(() => sort(authors, 'secret', NO_REQUEST)).toThrow('secret')
  expect(filter(shops, '@request.method = "GET"', ROOT)).toBeDefined()
  expect(() => filter(shops, '@request.method = "GET"', ANN)).toThrow('superusers')
})

test('long texts are not kept, and neither is more than a bounded number', () => {
  const { filter } = openConditions()
  const long = `title = "${'a'.repeat(500)}"`
  expect(filter(shops, long, ANN)).not.toBe(filter(shops, long, ANN))
  const first = filter(shops, 'title = "a"', ANN)
  for (let each = 0; each < 200; each += 1) filter(shops, `title = "a${each}"`, ANN)
  expect(filter(shops, 'title = "a"', ANN)).not.toBe(first)
})
