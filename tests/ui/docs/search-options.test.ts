import { expect, test } from 'bun:test'
import MiniSearch from 'minisearch'
import { SEARCH_OPTIONS, type SearchEntry, searchSections } from '../../../ui/docs/search-options.ts'

/** An index of sections with these texts, as the browser loads it. */
function indexOf(texts: Record<string, string>): MiniSearch<SearchEntry> {
  const index = new MiniSearch<SearchEntry>(SEARCH_OPTIONS)
  for (const [id, text] of Object.entries(texts)) {
    index.add({ id, title: `Title ${id}`, heading: '', text, excerpt: '' })
  }
  return MiniSearch.loadJSON<SearchEntry>(JSON.stringify(index), SEARCH_OPTIONS)
}

const idsOf = (index: MiniSearch<SearchEntry>, query: string) =>
  searchSections(index, query).map(({ id }) => id)

test.each([
  ['--job-timeout', 'Set `--job-timeout=5s` there.', 'job timeout, timeout of a job'],
  ['job-timeout', 'Set --job-timeout.', 'job timeout, timeout of a job, job-timeouts, job_timeout'],
  ['qpu_seconds', 'The field "qpu_seconds".', 'qpu seconds: seconds of a qpu'],
  ['SVC.Service', 'systemctl restart svc.service', 'svc service: the service svc, svc-service'],
])('searchSections() of %s ranks a section with it as a whole first', (query, whole, words) => {
  // Much text around it, which ranks a section last by its words alone.
  const filler = Array.from({ length: 300 }, (_, at) => `word${at}`).join(' ')
  expect(idsOf(indexOf({ words, whole: `${filler} ${whole} ${filler}` }), query)).toEqual(['whole', 'words'])
})

test('searchSections() ranks a section with more of the identifiers of the query first', () => {
  const index = indexOf({ none: 'a b c d', one: 'a-b c d', both: 'x x x x a-b x x x x c_d x x x x' })
  expect(idsOf(index, 'a-b c_d')).toEqual(['both', 'one', 'none'])
})

test('searchSections() finds the words of an identifier in any form, all of them', () => {
  const index = indexOf({ apart: 'How to sign in', joined: 'the sign-in page', other: 'a sign of life' })
  expect(idsOf(index, 'sign-in').sort()).toEqual(['apart', 'joined'])
  expect(idsOf(index, 'sign in').sort()).toEqual(['apart', 'joined'])
  expect(idsOf(index, '')).toEqual([])
})
