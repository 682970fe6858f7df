import { expect, test } from 'bun:test'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { checkImport } from '../../../scripts/source-checks/imports.ts'
import { readTree } from '../../../scripts/source-checks/source-tree.ts'
import { FEATURE_IMPORTS, STORE_INDEXES } from '../../../scripts/source-rules/features.ts'
import { importsOf } from '../../../scripts/source-text.ts'

const rulesOf = (file: string, specifier: string) =>
  checkImport(file, { specifier, line: 1 }).map(({ rule }) => rule)

test('the simulated chip and what measures it do not import each other', () => {
  const chip = 'src/devices/bench/simulated/chip.ts'
  expect(rulesOf(chip, '../../fitting/models/cosine.ts')).toContain('separation')
  expect(rulesOf(chip, '../../tuning/graph.ts')).toContain('separation')
  expect(rulesOf('src/devices/tuning/routines/one/t1.ts', '../../../bench/simulated/chip.ts')).toContain(
    'separation',
  )
  expect(rulesOf('src/devices/fitting/fit.ts', '../bench/simulated/chip.ts')).toContain('separation')
})

test('the contract, the other instruments and tests stay free', () => {
  expect(rulesOf('src/devices/tuning/walk.ts', '../bench/instrument.ts')).toEqual([])
  expect(rulesOf('src/devices/bench/simulated/chip.ts', '../instrument.ts')).toEqual([])
  expect(
    rulesOf('tests/devices/tuning/walk.test.ts', '../../../src/devices/bench/simulated/chip.ts'),
  ).toEqual([])
})

test('a feature of the server imports the indexes of the store that it names', () => {
  expect(rulesOf('src/server/tokens/routes.ts', '../../db/index.ts')).toEqual([])
  expect(rulesOf('src/server/tokens/routes.ts', '../../db/store/accounts/index.ts')).toEqual([])
  expect(rulesOf('src/server/tokens/routes.ts', '../../db/store/jobs/index.ts')).toEqual(['feature'])
  expect(rulesOf('src/server/records/service.ts', '../../db/store/mail/index.ts')).toEqual(['feature'])
  expect(rulesOf('src/server/records/behaviors/qpus.ts', '../../../db/store/mail/index.ts')).toEqual([])
  expect(rulesOf('src/server/tokens/routes.ts', '../../db/store/accounts/tokens.ts')).toEqual(['face'])
  expect(rulesOf('src/cli/superuser.ts', '../db/store/accounts/index.ts')).toEqual([])
  expect(rulesOf('src/driver/start.ts', '../db/store/accounts/index.ts')).toEqual(['layer'])
  expect(rulesOf('src/db/store/jobs/attempts.ts', '../accounts/index.ts')).toEqual(['face'])
})

test('every part of the server that uses the store is named, with what it uses and nothing else', async () => {
  const root = join(import.meta.dir, '../../..')
  const { sources } = await readTree(root, [...new Bun.Glob('src/server/**/*.ts').scanSync(root)])
  const used = new Map(FEATURE_IMPORTS.map(({ path }) => [path, new Set<string>()]))
  for (const { file, source, code } of sources) {
    const path = FEATURE_IMPORTS.filter((feature) => file.startsWith(feature.path)).at(-1)?.path ?? ''
    for (const { specifier } of importsOf(source, code)) {
      const [, name] = /\/db\/(.+)\/index\.ts$/.exec(specifier) ?? []
      if (name !== undefined) used.get(path)?.add(name)
    }
  }
  for (const { path, uses } of FEATURE_IMPORTS)
    expect([path, ...(used.get(path) ?? [])].sort()).toEqual([path, ...uses].sort())
  const exists = (name: string) => existsSync(join(root, `src/db/${name}/index.ts`))
  expect(STORE_INDEXES.filter((name) => !exists(name))).toEqual([])
})
