import { expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { createSlugger } from '../../../scripts/docs-pages/slug.ts'
import { DOCUMENTS, documentOf } from '../../../ui/frame/document-of.ts'

const DOCS = join(import.meta.dir, '../../../docs')

test.each(DOCUMENTS)('the document about %s exists, with its section', (_, document) => {
  const [path = '', section] = document.split('#')
  const markdown = readFileSync(join(DOCS, `${path.slice('/docs/'.length)}.md`), 'utf8')
  const slugOf = createSlugger()
  const sections = [...markdown.matchAll(/^##+ (.+)$/gm)].map(([, heading = '']) => slugOf(heading))
  if (section !== undefined) expect(sections).toContain(section)
})

test('documentOf() takes the most specific page, and otherwise the list of documents', () => {
  expect(documentOf('/jobs/new')).toBe('/docs/reference/jobs')
  expect(documentOf('/calibrations/abc')).toBe('/docs/how-to/calibrate')
  expect(documentOf('/jobsx')).toBe('/docs/')
  expect(documentOf('/_/backups')).toBe('/docs/how-to/back-up')
  expect(documentOf('/')).toBe('/docs/how-to/use-the-dashboard')
})
