import type { MenuGroup } from './collect.ts'
import { escapeHtml } from './escape.ts'
import type { Rendered } from './render.ts'

interface Neighbor {
  url: string
  title: string
}

/** What distinguishes one page from the template. */
export interface PageParts {
  url: string
  title: string
  rendered: Rendered
  menu: readonly MenuGroup[]
  /** The documents before and after this one in the menu. */
  neighbors: { previous?: Neighbor | undefined; next?: Neighbor | undefined }
  /** Path of the index for search. */
  indexPath: string
}

/** Below this number of headings a list of them is no help. */
const MIN_HEADINGS = 2

/** Puts the content of a document into the template. */
export function fillPage(template: string, parts: PageParts): string {
  const { url, title, rendered, menu, neighbors, indexPath } = parts
  const headings = rendered.headings.length < MIN_HEADINGS ? '' : renderHeadings(rendered.headings)
  const html = { html: true }
  const page = new HTMLRewriter()
    .on('title', { element: (at) => void at.setInnerContent(`${title} · Documentation · Job control`) })
    .on('#menu', { element: (at) => void at.setInnerContent(renderMenu(menu, url), html) })
    .on('article', { element: (at) => void at.setInnerContent(rendered.html, html) })
    .on('.docs-headings', { element: (at) => void at.setInnerContent(headings, html) })
    .on('.docs-next', { element: (at) => void at.setInnerContent(renderNeighbors(neighbors), html) })
    .on('#search', { element: (at) => void at.setAttribute('data-index', indexPath) })
  if (headings === '') {
    for (const selector of ['.docs-within', '.docs-aside'])
      page.on(selector, { element: (at) => void at.remove() })
  }
  return page.transform(template)
}

/** Groups of the menu that are open on pages which are not in it. */
const OPEN_GROUPS = 3

function renderMenu(menu: readonly MenuGroup[], url: string): string {
  const within = menu.findIndex(({ items }) => items.some((item) => item.url === url))
  return menu
    .map(({ title, items }, at) => {
      const links = items.map((item) => {
        const current = item.url === url ? ' aria-current="page"' : ''
        return `<li><a href="${item.url}"${current}>${escapeHtml(item.title)}</a></li>`
      })
      const open = at === within || (within < 0 && at < OPEN_GROUPS) ? ' open' : ''
      return `<details${open}><summary>${escapeHtml(title)}</summary><ul>${links.join('')}</ul></details>`
    })
    .join('')
}

function renderHeadings(headings: Rendered['headings']): string {
  return headings
    .map(({ depth, id, text }) => `<li class="depth-${depth}"><a href="#${id}">${escapeHtml(text)}</a></li>`)
    .join('')
}

function renderNeighbors({ previous, next }: PageParts['neighbors']): string {
  const link = ({ url, title }: Neighbor, rel: 'prev' | 'next', word: string) =>
    `<a rel="${rel}" href="${url}"><small>${word}</small>${escapeHtml(title)}</a>`
  return [previous && link(previous, 'prev', 'Previous'), next && link(next, 'next', 'Next')]
    .filter(Boolean)
    .join('')
}
