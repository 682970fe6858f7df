import { expect, test } from 'bun:test'
import { checkExports } from '../../../scripts/source-checks/exports.ts'
import { scanSource } from '../../../scripts/source-text.ts'

const sourceFile = (file: string, source: string) => ({ file, source, ...scanSource(source) })

test('checkExports() reports an export that no other file names', () => {
  const declaring = sourceFile(
    'src/base/a.ts',
    'export function used(): void {}\n\nexport interface Unused {}\nexport const alsoUnused: Unused = {}\n',
  )
  const importing = sourceFile(
    'tests/a.test.ts',
    "import { used } from '../src/base/a.ts'\n// Unused\nused()\n",
  )
  const inProduct = sourceFile('src/base/b.ts', "import { used } from './a.ts'\n")
  expect(checkExports([declaring, importing, inProduct])).toMatchObject([
    {
      file: 'src/base/a.ts',
      line: 3,
      rule: 'dead export',
      reason: 'no other file uses Unused: remove the export',
    },
    { line: 4, reason: 'no other file uses alsoUnused: remove the export' },
  ])
})

test('checkExports() reports an export that only tests name, unless its own file uses it', () => {
  const declaring = sourceFile('ui/a.ts', 'export const a = 1\nexport const b = 2\nf(b)\n')
  const importing = sourceFile('tests/a.test.ts', "import { a, b } from '../ui/a.ts'\n")
  expect(checkExports([declaring, importing])).toMatchObject([
    { line: 1, rule: 'test-only export', reason: 'only tests use a: move it to tests/support' },
  ])
})

test('checkExports() ignores tests, scripts and code that is compiled by name', () => {
  const elsewhere = ['tests/b.ts', 'scripts/b.ts', 'src/simulator/kernel/assembly/b.ts']
  expect(checkExports(elsewhere.map((file) => sourceFile(file, 'export const alone = 1\n')))).toEqual([])
})
