import { expect, test } from 'bun:test'
import { existsSync, mkdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { DECLARED_LIMITS } from '../../../scripts/testing/mutants/declared-limits.ts'
import { OTHER_LIMITS } from '../../../scripts/testing/mutants/limit-mutants.ts'
import { COPIED, SourceCopy } from '../../../scripts/testing/mutants/source-copy.ts'
import { partOf } from '../../../scripts/testing/parts.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'

const MUTANTS = [...DECLARED_LIMITS, ...OTHER_LIMITS]

const ROOT = join(import.meta.dir, '../../..')

test('each limit that a mutant takes away stands once in its file, and its tests belong to the gate', () => {
  for (const { file, test: tests, limits } of MUTANTS) {
    const source = readFileSync(join(ROOT, file), 'utf8')
    for (const { limit, check } of limits) {
      expect([limit, source.split(check).length - 1]).toEqual([limit, 1])
    }
    expect([tests, existsSync(join(ROOT, tests)), partOf(tests)]).toEqual([tests, true, undefined])
  }
  const names = MUTANTS.flatMap(({ limits }) => limits.map(({ limit }) => limit))
  expect(names.length).toBe(new Set(names).size)
})

test('a copy is altered for a while, never the sources, and only where the text stands once', async () => {
  using folder = temporaryFolder()
  for (const name of [...COPIED, 'node_modules']) {
    const path = join(folder.path, name)
    if (name.includes('.')) await Bun.write(path, '{}')
    else mkdirSync(path)
  }
  const source = join(folder.path, 'src/limit.ts')
  await Bun.write(source, 'if (n > MAX) refuse(n)\nlog(n)\n')
  let copied = ''
  {
    using copy = new SourceCopy(folder.path)
    copied = join(copy.folder, 'src/limit.ts')
    {
      using _ = copy.alter('src/limit.ts', { text: 'n > MAX', replacement: 'false && $&' })
      expect(readFileSync(copied, 'utf8')).toBe('if (false && $&) refuse(n)\nlog(n)\n')
    }
    expect(readFileSync(copied, 'utf8')).toBe(readFileSync(source, 'utf8'))
    expect(() => copy.alter('src/limit.ts', { text: '(n)', replacement: '()' })).toThrow(
      'contains "(n)" 2 times instead of once',
    )
    expect(() => copy.alter('src/limit.ts', { text: 'm > MAX', replacement: '' })).toThrow('0 times')
  }
  expect(existsSync(copied)).toBe(false)
  expect(readFileSync(source, 'utf8')).toBe('if (n > MAX) refuse(n)\nlog(n)\n')
})
