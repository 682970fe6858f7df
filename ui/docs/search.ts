import MiniSearch from 'minisearch'
import { SEARCH_OPTIONS, type SearchEntry, searchSections } from './search-options.ts'

/** A section that contains the words. */
export interface Found {
  url: string
  title: string
  heading: string
  excerpt: string
}

const SHOWN = 20
let loading: Promise<MiniSearch<SearchEntry>> | undefined

/** The sections that contain all words of a query, the best first. Loads the index once. */
export async function search(query: string): Promise<Found[]> {
  loading ??= loadIndex()
  try {
    const index = await loading
    return searchSections(index, query)
      .slice(0, SHOWN)
      .map(({ id, title, heading, excerpt }) => ({ url: String(id), title, heading, excerpt }))
  } catch (error) {
    loading = undefined
    throw error
  }
}

async function loadIndex(): Promise<MiniSearch<SearchEntry>> {
  const path = document.querySelector<HTMLElement>('#search')?.dataset['index'] ?? ''
  const response = await fetch(path)
  if (!response.ok) throw new Error(`${response.status} from ${path}`)
  return MiniSearch.loadJSONAsync(await response.text(), SEARCH_OPTIONS)
}
