import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import MiniSearch from 'minisearch'
import { buildDocsPages } from '../../../scripts/docs-pages/build-docs-pages.ts'
import { collectDocs } from '../../../scripts/docs-pages/collect.ts'
import { renderMarkdown } from '../../../scripts/docs-pages/render.ts'
import { createSlugger } from '../../../scripts/docs-pages/slug.ts'
import { SEARCH_OPTIONS, type SearchEntry, searchSections } from '../../../ui/docs/search-options.ts'
import { type TemporaryFolder, temporaryFolder } from '../../support/temporary-folder.ts'

const ROOT = join(import.meta.dir, '../../..')
const DOCS = join(ROOT, 'docs')

let folder: TemporaryFolder

beforeAll(() => {
  folder = temporaryFolder()
})
afterAll(() => folder[Symbol.dispose]())

/** Writes documents below a new folder and returns its path. */
function write(name: string, files: Record<string, string>): string {
  const root = join(folder.path, name, 'docs')
  for (const [path, text] of Object.entries(files)) {
    const file = join(root, path)
    mkdirSync(dirname(file), { recursive: true })
    writeFileSync(file, text)
  }
  return root
}

const template = () => Bun.file(join(ROOT, 'ui/docs/page.html')).text()
const render = (markdown: string) => renderMarkdown(markdown, (href) => href)

describe('the documents', () => {
  test('are all in the menu, those of a linked folder under its name', () => {
    const { docs, menu } = collectDocs(DOCS)
    const listed = menu.flatMap(({ items }) => items.map(({ url }) => url))
    expect(new Set(listed).size).toBe(listed.length)
    expect(listed.length).toBe(docs.length - 1)
    expect(docs[0]?.url).toBe('/docs/')
    expect(menu.map(({ title }) => title)).toEqual(
      expect.arrayContaining(['Tutorials', 'Reference', 'Decisions']),
    )
    expect(docs.map(({ url }) => url)).toContain('/docs/decisions/')
  })

  test('that no list names are refused', () => {
    const root = write('orphan', { 'README.md': '# Start\n', 'lost.md': '# Lost\n' })
    expect(() => collectDocs(root)).toThrow('lost.md')
  })
})

describe('a link', () => {
  const build = async (name: string, files: Record<string, string>) => {
    const root = write(name, { 'README.md': '# Start\n\n## Pages\n\n- [A](a.md)\n', ...files })
    const out = join(folder.path, name, 'out')
    await buildDocsPages(root, out, await template())
    return (path: string) => Bun.file(join(out, path)).text()
  }

  test('leads to the page of its document, of a section, or of a file', async () => {
    const read = await build('links', {
      'a.md':
        '# A\n\n[start](README.md) [below](#two-words) [code](../x.ts) [out](https://example.org/)\n\n## Two words\n',
      '../x.ts': 'const x = "<b>"\n',
    })
    const page = await read('docs/a.html')
    for (const href of ['/docs/', '#two-words', '/docs/files/x.ts', 'https://example.org/']) {
      expect(page).toContain(`href="${href}"`)
    }
    expect(await read('docs/files/x.ts.html')).toContain('const x = &quot;&lt;b&gt;&quot;')
  })

  test.each([
    ['to no document', '[x](b.md)', 'b.md leads to no document'],
    ['to no section', '[x](README.md#nowhere)', 'has no section #nowhere'],
    ['out of the repository', '[x](../../../../../etc/hostname)', 'leads to no document'],
  ])('%s fails the build', async (name, link, message) => {
    await expect(build(`broken ${name}`, { 'a.md': `# A\n\n${link}\n` })).rejects.toThrow(message)
  })
})

describe('Markdown', () => {
  test('gets anchors by the rules of GitHub', () => {
    const slugOf = createSlugger()
    expect(['What a series says', '`--policy` & more', 'Ports', 'Ports', 'Δt für alle'].map(slugOf)).toEqual([
      'what-a-series-says',
      '--policy--more',
      'ports',
      'ports-1',
      'δt-für-alle',
    ])
  })

  test('text is never markup, and HTML is refused', () => {
    const { html } = render('# A\n\n1 < 2 & `<script>`\n\n```html\n<img src=x>\n```\n')
    expect(html).toContain('1 &lt; 2 &amp; <code>&lt;script&gt;</code>')
    expect(html).toContain('&lt;img src=x&gt;')
    expect(() => render('# A\n\n<img src=x>\n')).toThrow('HTML in a document')
    expect(render('# A\n\n| a |\n|---|\n| b<br>c |\n').html).toContain('b<br>c')
  })

  test('is divided into the sections that search finds', () => {
    const { sections, headings } = render(
      '# A\n\nFirst *words*.\n\n## B\n\n- one\n- two\n\n### C\n\n| x | y |\n|---|---|\n| 1 | 2 |\n',
    )
    expect(sections).toEqual([
      { id: '', heading: '', text: 'First words.' },
      { id: 'b', heading: 'B', text: 'one two' },
      { id: 'c', heading: 'C', text: 'x y 1 2' },
    ])
    expect(headings.map(({ id, depth }) => `${depth} ${id}`)).toEqual(['2 b', '3 c'])
  })
})

test('the index finds the section that explains a setting, an error code and a task', async () => {
  const out = join(folder.path, 'all')
  await buildDocsPages(DOCS, out, await template())
  const [path = ''] = [...new Bun.Glob('a/docs-index-*.json').scanSync(out)]
  const index = MiniSearch.loadJSON<SearchEntry>(await Bun.file(join(out, path)).text(), SEARCH_OPTIONS)
  const best = (query: string) =>
    searchSections(index, query)
      .slice(0, 3)
      .map(({ id }) => String(id).replace(/#.*/, ''))
  expect(best('back up restore')).toContain('/docs/how-to/back-up')
  expect(best('job-timeout')).toContain('/docs/reference/settings')
  expect(best('write device')).toContain('/docs/how-to/write-a-device')
  expect(best('fair shar')).toContain('/docs/explanation/fair-share')
  expect(best('replikate')).toContain('/docs/how-to/replicate')
  expect(best('xyzzy')).toEqual([])
})
