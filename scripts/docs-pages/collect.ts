import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join, normalize } from 'node:path'
import { lexer, type Token, type Tokens } from 'marked'
import { plainText } from './plain-text.ts'

/** One document of `docs/`, or a file of the repository that a document links to. */
export interface Doc {
  /** Path below `docs/`; that of a linked file starts with `../`. */
  source: string
  /** Path of its page on the server. */
  url: string
  title: string
  /** Heading in the menu; undefined for linked files, which are not in the menu. */
  group: string | undefined
  markdown: string
}

/** Entry of the menu, with the URL of a document. */
interface MenuItem {
  url: string
  title: string
}

/** Documents under one heading of the menu. */
export interface MenuGroup {
  title: string
  items: MenuItem[]
}

/** The whole documentation in the order of its menu. */
export interface Docs {
  docs: Doc[]
  menu: MenuGroup[]
}

const START = 'README.md'
/** The notice that a document is generated, which only readers of the source need. */
const COMMENT = /^<!--.*?-->\s*/s

/**
 * Reads every document of a folder. The menu follows the headings and links of its `README.md`; a linked
 * `README.md` of a subfolder becomes a group of its own with all documents there.
 * @throws Error that names the documents which no `README.md` lists.
 */
export function collectDocs(root: string): Docs {
  const sources = new Set(
    readdirSync(root, { recursive: true, encoding: 'utf8' }).filter((name) => isDocument(name)),
  )
  const docs: Doc[] = []
  const menu: MenuGroup[] = []
  const take = (source: string, group: MenuGroup) => {
    if (!sources.delete(source)) return
    const doc = readDoc(root, source, group.title)
    docs.push(doc)
    group.items.push({ url: doc.url, title: doc.title })
  }
  for (const { title, links } of linkedSections(readFileSync(join(root, START), 'utf8'))) {
    const group: MenuGroup = { title, items: [] }
    menu.push(group)
    for (const link of links) {
      const within = link.endsWith(`/${START}`) ? folderGroup(link, sources) : undefined
      if (within) menu.push(within.group)
      for (const source of within?.sources ?? [link]) take(source, within?.group ?? group)
    }
  }
  docs.unshift(readDoc(root, START, undefined))
  sources.delete(START)
  if (sources.size > 0) throw new Error(`No link in docs/${START} leads to ${[...sources].join(', ')}`)
  return { docs, menu: menu.filter(({ items }) => items.length > 0) }
}

function isDocument(name: string): boolean {
  return name.endsWith('.md')
}

function readDoc(root: string, source: string, group: string | undefined): Doc {
  const markdown = readFileSync(join(root, source), 'utf8').replace(COMMENT, '')
  const title = /^# (.+)$/m.exec(markdown)?.[1]
  if (title === undefined) throw new Error(`docs/${source} has no heading`)
  return { source, url: urlOf(source), title: plainText(lexer(title)), group, markdown }
}

/** The path on the server: `how-to/operate.md` is at `/docs/how-to/operate`, a README at its folder. */
function urlOf(source: string): string {
  return `/docs/${source.replace(/(^|\/)README\.md$/, '$1').replace(/\.md$/, '')}`
}

/** The sections of a `README.md` with the documents that they link to. */
function linkedSections(markdown: string): { title: string; links: string[] }[] {
  const sections: { title: string; links: string[] }[] = []
  for (const token of lexer(markdown)) {
    if (isHeading(token)) sections.push({ title: plainText([token]), links: [] })
    else sections.at(-1)?.links.push(...linksIn(token))
  }
  return sections
}

const isHeading = (token: Token): token is Tokens.Heading => token.type === 'heading'

function linksIn(token: Token): string[] {
  if (token.type === 'link') return [normalize(String(token['href']))]
  const children: Token[] = token.type === 'list' ? token['items'] : ('tokens' in token && token.tokens) || []
  return children.flatMap(linksIn)
}

/** All documents of the subfolder of a `README.md`, which comes first. */
function folderGroup(readme: string, sources: ReadonlySet<string>) {
  const folder = dirname(readme)
  const name = folder.charAt(0).toUpperCase() + folder.slice(1)
  const within = [...sources].filter((source) => dirname(source) === folder && source !== readme).sort()
  return { group: { title: name, items: [] } as MenuGroup, sources: [readme, ...within] }
}
