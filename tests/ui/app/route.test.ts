import { expect, test } from 'bun:test'
import { matchRoute, safePath } from '../../../ui/app/route.ts'

test.each([
  ['/', '/', {}],
  ['/jobs/new', '/jobs/new', {}],
  ['/jobs/new', '/jobs/new/', {}],
  ['/jobs/:id', '/jobs/abc', { id: 'abc' }],
  ['/jobs/:id', '/jobs/a%20b', { id: 'a b' }],
  ['/jobs/:id', '/jobs/%E0%A4%A', { id: '%E0%A4%A' }],
  ['/jobs/:id', '/jobs/', undefined],
  ['/jobs/:id', '/jobs/a/b', undefined],
  ['/jobs/:id', '/qpus/abc', undefined],
  ['/', '/jobs', undefined],
])('matchRoute(%p, %p) is %p', (pattern, path, values) => {
  expect(matchRoute(pattern, path)).toEqual(values)
})

test.each([
  ['/jobs/new?from=a', '/jobs/new?from=a'],
  ['/', '/'],
  [null, '/'],
  ['', '/'],
  ['https://elsewhere.example', '/'],
  ['//elsewhere.example', '/'],
  ['/\\elsewhere.example', '/'],
  ['javascript:alert(1)', '/'],
  ['/login?next=/jobs/new', '/'],
])('safePath(%p) stays on this site: %p', (text, path) => {
  expect(safePath(text)).toBe(path)
})
