import { expect, test } from 'bun:test'
import { checkTree } from '../../../scripts/source-checks/tree.ts'

const folder = (count: number, name: string) => Array.from({ length: count }, (_, at) => `${name}/f${at}.ts`)

test('checkTree() reports top-level entries that are not in the rules', () => {
  expect(checkTree(['README.md', '.web-1/index.html', '.web-1/a.js', 'notes.txt'])).toEqual([
    {
      file: '.web-1/index.html',
      line: 1,
      rule: 'top level',
      reason: '.web-1 is not among the entries in scripts/source-rules/tree.ts',
    },
    {
      file: 'notes.txt',
      line: 1,
      rule: 'top level',
      reason: 'notes.txt is not among the entries in scripts/source-rules/tree.ts',
    },
  ])
})

test('checkTree() reports folders with more than 15 source files of their own', () => {
  const reasons = (files: string[]) => checkTree(files).map(({ file, reason }) => `${file} ${reason}`)
  expect(reasons([...folder(15, 'src/db'), ...folder(15, 'src/db/store'), 'src/db/notes.md'])).toEqual([])
  expect(reasons([...folder(16, 'src/db')])).toEqual([
    'src/db holds 16 source files; divide it by subject, at most 15 per folder',
  ])
  expect(reasons(folder(16, 'tests/circuits').map((file) => file.replace('.ts', '.qasm')))).toEqual([])
})
