import { expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import manifest from '../../../package.json' with { type: 'json' }
import { collectPackages } from '../../../scripts/licenses/collect.ts'
import { componentsOf, renderNotices } from '../../../scripts/licenses/notices.ts'
import { RUNTIME, RUNTIME_LIBRARIES, TEXTS } from '../../../scripts/licenses/runtime.ts'
import { renderSbom } from '../../../scripts/licenses/sbom.ts'

const repository = join(import.meta.dir, '../../..')
const packages = await collectPackages()
const svc = { version: '2026.1.0', license: 'Own license' }

test('the packages are those in the bundles, the fonts and the standard library of the kernel', () => {
  const parts = new Map(packages.map(({ name, part }) => [name, part]))
  expect(Object.fromEntries(parts)).toMatchObject({
    hono: 'program',
    tslib: 'program',
    preact: 'dashboard',
    '@fontsource-variable/atkinson-hyperlegible-mono': 'font',
    assemblyscript: 'simulator kernel',
  })
  // Every dependency is in the executable, no tool of development is.
  expect(Object.keys(manifest.dependencies).filter((name) => !parts.has(name))).toEqual([])
  for (const tool of ['typescript', 'zeromq', 'pocketbase', 'playwright-core'])
    expect(parts.has(tool)).toBe(false)
  expect(packages.map(({ name }) => name)).toEqual(packages.map(({ name }) => name).toSorted())
})

test('the list of the runtime belongs to the version of Bun that builds the executable', () => {
  expect<string>(RUNTIME.version).toBe(manifest.devDependencies.bun)
  expect<string>(Bun.version).toBe(RUNTIME.version)
})

test('the text of each license of the runtime is part of the notices', () => {
  const ids = RUNTIME_LIBRARIES.flatMap(({ license }) => license.split(/ AND | WITH /))
  // The blessing of SQLite: public domain.
  expect([...new Set(ids)].filter((id) => id !== 'blessing').sort()).toEqual(Object.keys(TEXTS).sort())
  const notices = renderNotices(svc, packages)
  for (const file of Object.values(TEXTS)) {
    expect(notices).toContain(
      readFileSync(join(repository, 'scripts/licenses/texts', file), 'utf8').trimEnd(),
    )
  }
  for (const { name } of componentsOf(svc, packages))
    expect(notices.toLowerCase()).toContain(name.toLowerCase())
  for (const each of packages) expect(notices).toContain(each.notices)
  expect(notices).not.toContain(repository)
})

test('the bill of materials has one component for each package and the runtime, and no unknown reference', () => {
  const sbom = renderSbom({ version: '2026.1.0', sha256: 'ab'.repeat(32) }, packages)
  expect(sbom).toMatchObject({ bomFormat: 'CycloneDX', specVersion: '1.6', version: 1 })
  expect(JSON.stringify(sbom)).not.toContain(repository)
  const { metadata, components, dependencies } = JSON.parse(JSON.stringify(sbom))
  const refs: string[] = components.map((each: { 'bom-ref': string }) => each['bom-ref'])
  expect(new Set(refs).size).toBe(packages.length + 1)
  expect(refs).toContain('pkg:npm/%40peculiar/x509@2.2.0')
  expect(dependencies).toEqual([
    { ref: metadata.component['bom-ref'], dependsOn: refs },
    ...refs.map((ref) => ({ ref, dependsOn: [] })),
  ])
  for (const each of components) {
    expect(each).toMatchObject({ name: expect.any(String), version: expect.stringMatching(/^\d/) })
    expect(['library', 'data', 'platform']).toContain(each.type)
    expect(each.licenses).toEqual([{ expression: expect.stringMatching(/^[\w. ()-]+$/) }])
    for (const { alg, content } of each.hashes ?? []) {
      expect([alg, content]).toEqual(['SHA-512', expect.stringMatching(/^[0-9a-f]{128}$/)])
    }
  }
  expect(components.at(-1).components).toHaveLength(RUNTIME_LIBRARIES.length)
})
