import { expect, test } from 'bun:test'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { affectedTests, changedFiles } from '../../../scripts/testing/changed.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'

const TREE = new Map([
  ['src/a.ts', ''],
  ['src/b.ts', "import './a.ts'"],
  ['docs/page.md', ''],
  ['tests/a.test.ts', "import '../src/a.ts'"],
  ['tests/b.test.ts', "import '../src/b.ts'"],
  ['tests/page.test.ts', "readFileSync('docs/page.md')"],
])

test('the tests that name what has changed come first, whole distances at a time', () => {
  const found = (enough: number, ...changed: string[]) => affectedTests(TREE, changed, enough)
  expect(found(9, 'src/a.ts')).toEqual({ tests: ['tests/a.test.ts', 'tests/b.test.ts'], total: 2 })
  expect(found(1, 'src/a.ts')).toEqual({ tests: ['tests/a.test.ts'], total: 2 })
  expect(found(9, 'src/b.ts', 'docs/page.md').tests).toEqual(['tests/b.test.ts', 'tests/page.test.ts'])
  expect(found(9, 'tests/a.test.ts').tests).toEqual(['tests/a.test.ts'])
  expect(found(9, 'src/gone.ts')).toEqual({ tests: [], total: 0 })
})

test('what differs from a commit includes files that git does not track yet', () => {
  using root = temporaryFolder()
  const git = (...args: string[]) =>
    expect(
      Bun.spawnSync(['git', '-c', 'user.name=a', '-c', 'user.email=a@b.c', ...args], { cwd: root.path })
        .exitCode,
    ).toBe(0)
  git('init', '-q')
  mkdirSync(join(root.path, 'src'))
  for (const name of ['src/a.ts', 'src/b.ts']) writeFileSync(join(root.path, name), 'one')
  git('add', '.')
  git('commit', '-qm', 'one')
  writeFileSync(join(root.path, 'src/b.ts'), 'two')
  writeFileSync(join(root.path, 'ä new.ts'), 'one')
  expect(changedFiles(root.path, 'HEAD')).toEqual(['src/b.ts', 'ä new.ts'])
  expect(() => changedFiles(root.path, 'nowhere')).toThrow(/nowhere/)
})
