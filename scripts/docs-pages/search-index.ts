import MiniSearch from 'minisearch'
import { SEARCH_OPTIONS, type SearchEntry } from '../../ui/docs/search-options.ts'
import type { Doc } from './collect.ts'
import type { Rendered } from './render.ts'

/** Characters of a section that a result shows. */
const EXCERPT = 140

/** The index of all sections, as the browser loads it. */
export function buildSearchIndex(pages: readonly { doc: Doc; rendered: Rendered }[]): string {
  const index = new MiniSearch<SearchEntry>(SEARCH_OPTIONS)
  for (const { doc, rendered } of pages) {
    for (const { id, heading, text } of rendered.sections) {
      const url = id === '' ? doc.url : `${doc.url}#${id}`
      index.add({ id: url, title: doc.title, heading, text, excerpt: excerptOf(text) })
    }
  }
  return JSON.stringify(index)
}

function excerptOf(text: string): string {
  if (text.length <= EXCERPT) return text
  return `${text.slice(0, text.lastIndexOf(' ', EXCERPT))} …`
}
