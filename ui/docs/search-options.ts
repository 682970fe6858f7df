import type { Options } from 'minisearch'

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

/** Options of the index, the same where it is built and where it is searched. */
export const SEARCH_OPTIONS: Options<SearchEntry> = {
  fields: ['title', 'heading', 'text'],
  storeFields: ['title', 'heading', 'excerpt'],
  // `--job-timeout`, `qpu_seconds` and `svc.service` are found by each of their parts.
  tokenize: (text) => text.split(/[^\p{L}\p{N}]+/u).filter((word) => word !== ''),
  searchOptions: {
    boost: { title: 4, heading: 3 },
    prefix: true,
    fuzzy: (word) => (word.length < FUZZY_FROM ? false : 0.2),
    combineWith: 'AND',
  },
}
