import { mkdir } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { collectDocs, type Doc, type MenuGroup } from './collect.ts'
import { createLinks } from './links.ts'
import { fillPage, type PageParts } from './page.ts'
import { type Rendered, renderMarkdown } from './render.ts'
import { buildSearchIndex } from './search-index.ts'

const MISSING = `# There is no such document

It may have moved. The contents beside this page list every document, and search finds words in all of them.
`

/**
 * Renders the documents below `root` into `folder`, as files by the path of their pages, with an index for
 * search. `template` is the built page without its content.
 * @throws Error with one line per link that leads nowhere.
 */
export async function buildDocsPages(root: string, folder: string, template: string): Promise<void> {
  const { docs, menu } = collectDocs(root)
  const links = createLinks(root, docs)
  const render = (doc: Doc) => ({
    doc,
    rendered: renderMarkdown(doc.markdown, (href) => links.resolve(doc.source, href)),
  })
  const pages = docs.map(render)
  const files = links.files().map(render)
  const problems = links.problems(
    new Map([...pages, ...files].map(({ doc, rendered }) => [doc.url, rendered.ids])),
  )
  if (problems.length > 0) throw new Error(`Broken links in the documentation:\n${problems.join('\n')}`)

  const index = buildSearchIndex(pages)
  const indexPath = `/a/docs-index-${Bun.hash(index).toString(36).slice(0, 8)}.json`
  await Bun.write(join(folder, indexPath), index)
  const write = async (
    url: string,
    title: string,
    parts: Omit<PageParts, 'title' | 'url' | 'menu' | 'indexPath'>,
  ) => {
    const path = join(folder, url.endsWith('/') ? `${url}index.html` : `${url}.html`)
    await mkdir(dirname(path), { recursive: true })
    await Bun.write(path, fillPage(template, { ...parts, url, title, menu, indexPath }))
  }
  for (const { doc, rendered } of [...pages, ...files]) {
    await write(doc.url, doc.title, { rendered, neighbors: neighborsOf(menu, doc) })
  }
  const missing: Rendered = renderMarkdown(MISSING, (href) => href)
  await write('/docs/missing', 'No such document', { rendered: missing, neighbors: {} })
}

/** The documents before and after one in the menu. */
function neighborsOf(menu: readonly MenuGroup[], { url }: Doc): PageParts['neighbors'] {
  const all = menu.flatMap(({ items }) => items)
  const at = all.findIndex((item) => item.url === url)
  return at < 0 ? {} : { previous: all[at - 1], next: all[at + 1] }
}
