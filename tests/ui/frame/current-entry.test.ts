import { expect, test } from 'bun:test'
import { currentEntry } from '../../../ui/frame/current-entry.ts'

const PAGES = ['/', '/jobs', '/jobs/new', '/qpus'].map((path) => ({ path }))

test.each([
  ['/', '/'],
  ['/jobs', '/jobs'],
  ['/jobs/abc', '/jobs'],
  ['/jobs/new', '/jobs/new'],
  ['/jobsx', undefined],
  ['/qpus/kelvin/history', '/qpus'],
])('currentEntry() marks for %s the entry %s', (path, entry) => {
  expect(currentEntry(PAGES, path)).toBe(entry)
})
