import { expect, test } from 'bun:test'
import { NAMES } from '../../../scripts/release/names.ts'
import { formsOf } from '../../../scripts/release/version.ts'

test('a version has a form for each package system', () => {
  expect(formsOf('2026.12.0')).toEqual({
    semver: '2026.12.0',
    python: '2026.12.0',
    linux: '2026.12.0',
    go: 'v1.202612.0',
  })
  expect(formsOf('2027.1.3-rc.2')).toEqual({
    semver: '2027.1.3-rc.2',
    python: '2027.1.3rc2',
    linux: '2027.1.3~rc2',
    go: 'v1.202701.3-rc.2',
  })
  for (const wrong of ['2026.01.0', '2026.13.0', '26.1.0', '2026.1', '2026.1.0-rc.0', '2026.1.01', ''])
    expect(() => formsOf(wrong)).toThrow('is not a version such as')
})

test('Debian sorts the forms as they were released', () => {
  const forms = ['2026.9.2', '2026.12.0-rc.1', '2026.12.0-rc.2', '2026.12.0', '2026.12.1', '2027.1.0']
  const versions = forms.map((each) => `${formsOf(each).linux}-1`)
  for (const [at, version] of versions.slice(1).entries()) {
    const { exitCode } = Bun.spawnSync(['dpkg', '--compare-versions', versions[at] ?? '', 'lt', version])
    expect([version, exitCode]).toEqual([version, 0])
  }
})

test('the manifests have the public names of the list', async () => {
  const text = (path: string) => Bun.file(`${import.meta.dir}/../../../${path}`).text()
  expect(JSON.parse(await text('clients/js/package.json')).name).toBe(NAMES.clients.javascript)
  expect(await text('clients/go/go.mod')).toStartWith(`module ${NAMES.clients.go}\n`)
  expect(await text('clients/go/internal/pack/main.go')).toContain(`const module = "${NAMES.clients.go}"`)
  for (const [path, name] of [
    ['clients/python', NAMES.clients.python],
    ['drivers/python', NAMES.devices],
    ['packaging/wheel', NAMES.wheel],
  ] as const)
    expect(await text(`${path}/pyproject.toml`)).toContain(`\nname = "${name}"\n`)
  expect(await text('packaging/nfpm/nfpm.yaml')).toContain(`\nname: ${NAMES.program}\n`)
})
