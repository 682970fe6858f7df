import { expect, test } from 'bun:test'
import { checkFolderCycles, folderCycles } from '../../../scripts/source-checks/folder-cycles.ts'
import { metricsOf } from '../../../scripts/source-checks/metrics.ts'
import type { SourceFile } from '../../../scripts/source-checks/source-tree.ts'
import { scanSource } from '../../../scripts/source-text.ts'

const fileOf = (file: string, source: string): SourceFile => ({ file, source, ...scanSource(source) })
const importing = (file: string, ...specifiers: string[]) =>
  fileOf(file, specifiers.map((specifier) => `import '${specifier}'`).join('\n'))

test('folderCycles() finds siblings that import each other, directly or by a third', () => {
  const sources = [
    importing('src/db/a/x.ts', '../b/x.ts'),
    importing('src/db/b/x.ts', '../c/x.ts', './y.ts'),
    importing('src/db/b/y.ts', './x.ts'),
    importing('src/db/c/x.ts', '../a/y.ts'),
    importing('src/db/d/x.ts', '../a/y.ts'),
    importing('src/server/context.ts', './drivers/hub.ts', './setting.ts'),
    importing('src/server/drivers/hub.ts', '../context.ts'),
    importing('src/server/setting.ts', './context.ts'),
  ]
  expect(folderCycles(sources)).toEqual([
    ['src/db/a', 'src/db/b', 'src/db/c'],
    ['src/server/context.ts', 'src/server/drivers'],
  ])
  expect(checkFolderCycles(sources.slice(0, 5)).map(({ file, reason }) => `${file}: ${reason}`)).toEqual([
    'src/db/a: src/db/a, src/db/b, src/db/c import each other',
  ])
  expect(folderCycles(sources.slice(1, 6))).toEqual([])
})

test('metricsOf() prints the structure of a tree', () => {
  const sources = [
    fileOf('src/db/a.ts', 'const told = 1\n'),
    fileOf('src/db/b.ts', 'const a = 1\n\nconst b = 2\n'),
    fileOf('ui/main.tsx', 'const a = 1\nconst b = 2\n'),
    fileOf('tests/db/a.test.ts', 'const a = 1\n'),
  ]
  expect(metricsOf({ files: [], texts: new Map(), sources })).toEqual([
    'src and ui: 3 files, lines median 2, max 3; max 2 files per folder',
    'tests, scripts, bench: 1 files, lines median 1, max 1; max 1 files per folder',
    'cycles between folders: 0',
    'implementations of back-off: 0',
    'implementations of time-out: 0',
    'implementations of folder lock: 0',
    'implementations of token bucket: 0',
    'implementations of worker start: 0',
    'implementations of thread with requests: 0',
    'implementations of queue of turns: 0',
    expect.stringMatching(/^declared names with banned words: 1$/),
  ])
})
