import type MiniSearch from 'minisearch'
import type { Options, SearchResult } from 'minisearch'

/** One section of a document in the index. */
export interface SearchEntry {
  /** Address of the section. */
  id: string
  /** Title of its document. */
  title: string
  /** Empty for the text under the title. */
  heading: string
  text: string
  /** The start of the text, shown with the result. */
  excerpt: string
}

/** Words of fewer letters are searched as typed. */
const FUZZY_FROM = 5

/** Name of the indexed field that contains the compound identifiers of a section. */
const IDENTIFIERS = 'identifiers'

const wordsOf = (text: string): string[] => text.match(/[\p{L}\p{N}]+/gu) ?? []

/** The compound identifiers of a text: `job-timeout` of `--job-timeout=5s`, `qpu_seconds`, `svc.service`. */
const identifiersOf = (text: string): string[] => text.match(/[\p{L}\p{N}]+(?:[-_.]+[\p{L}\p{N}]+)+/gu) ?? []

/** Options of the index, the same where it is built and where it is searched. */
export const SEARCH_OPTIONS: Options<SearchEntry> = {
  fields: ['title', 'heading', 'text', IDENTIFIERS],
  storeFields: ['title', 'heading', 'excerpt'],
  extractField(entry, field) {
    const texts: Record<string, string> = {
      ...entry,
      [IDENTIFIERS]: `${entry.title} ${entry.heading} ${entry.text}`,
    }
    return texts[field] ?? ''
  },
  // A compound identifier is found by each of its words and as a whole.
  tokenize: (text, field) => (field === IDENTIFIERS ? identifiersOf(text) : wordsOf(text)),
  searchOptions: {
    fields: ['title', 'heading', 'text'],
    boost: { title: 4, heading: 3 },
    prefix: true,
    fuzzy: (word) => (word.length < FUZZY_FROM ? false : 0.2),
    combineWith: 'AND',
  },
}

/**
 * The sections that contain all words of a query, the best first. Those with the most of its compound
 * identifiers as a whole precede those with only the words of them.
 */
export function searchSections(index: MiniSearch<SearchEntry>, query: string): SearchResult[] {
  const exact = index.search(query, {
    fields: [IDENTIFIERS],
    tokenize: identifiersOf,
    prefix: false,
    fuzzy: false,
    combineWith: 'OR',
  })
  const identifiers = new Map(exact.map(({ id, queryTerms }) => [id, queryTerms.length]))
  const count = ({ id }: SearchResult) => identifiers.get(id) ?? 0
  return index.search(query).sort((a, b) => count(b) - count(a))
}
