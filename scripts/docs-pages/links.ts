import { existsSync, readFileSync, statSync } from 'node:fs'
import { dirname, join, normalize } from 'node:path'
import type { Doc } from './collect.ts'

/** A link to a section, checked once every page is rendered. */
interface Anchor {
  from: string
  url: string
  id: string
}

/** Turns the links of documents into addresses on the server and collects those that lead nowhere. */
export interface Links {
  /** The address for a link that the document `from` contains. */
  resolve(from: string, href: string): string
  /** Files outside of `docs/` that documents link to, as documents. */
  files(): Doc[]
  /** What is wrong with the links, one line each; `ids` has the anchors of each page. */
  problems(ids: ReadonlyMap<string, ReadonlySet<string>>): string[]
}

/** Creates the links of the documents below `root`. */
export function createLinks(root: string, docs: readonly Doc[]): Links {
  const bySource = new Map(docs.map((doc) => [doc.source, doc]))
  const files = new Map<string, Doc>()
  const anchors: Anchor[] = []
  const broken: string[] = []

  const find = (from: string, path: string) => {
    const source = path === '' ? from : normalize(join(dirname(from), path))
    return bySource.get(source) ?? files.get(source) ?? addFile(source)
  }
  const addFile = (source: string) => {
    const path = join(root, source)
    if (!/^\.\.\/(?!\.\.)/.test(source) || !existsSync(path) || !statSync(path).isFile()) return undefined
    const file = fileDoc(source, readFileSync(path, 'utf8'))
    files.set(source, file)
    return file
  }
  return {
    resolve(from, href) {
      if (/^[a-z]+:/.test(href)) return href
      const [path = '', id] = href.split('#')
      const doc = find(from, path)
      if (!doc) {
        broken.push(`docs/${from}: ${href} leads to no document`)
        return href
      }
      if (id !== undefined) anchors.push({ from, url: doc.url, id })
      return `${path === '' ? '' : doc.url}${id === undefined ? '' : `#${id}`}`
    },
    files: () => [...files.values()],
    problems: (ids) => [
      ...broken,
      ...anchors
        .filter(({ url, id }) => !ids.get(url)?.has(id))
        .map(({ from, url, id }) => `docs/${from}: ${url} has no section #${id}`),
    ],
  }
}

/** A file of the repository as a document with one block of code, such as an example. */
function fileDoc(source: string, text: string): Doc {
  const path = source.replace(/^(\.\.\/)+/, '')
  const fence = '`'.repeat(Math.max(3, ...[...text.matchAll(/`+/g)].map(([ticks]) => ticks.length + 1)))
  const language = path.slice(path.lastIndexOf('.') + 1)
  const markdown = `# ${path}\n\n${fence}${language}\n${text.trimEnd()}\n${fence}\n`
  return { source, url: `/docs/files/${path}`, title: path, group: undefined, markdown }
}
