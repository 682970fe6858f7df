import { expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'

const root = join(import.meta.dir, '..')
const read = (path: string) => readFileSync(join(root, path), 'utf8')

interface LockedPackage {
  engines?: { node?: string }
  hasInstallScript?: boolean
}
const manifest: { engines: { node: string }; allowScripts: Record<string, boolean> } = JSON.parse(
  read('package.json'),
)
const locked: Record<string, LockedPackage> = JSON.parse(read('package-lock.json')).packages
const packages = Object.entries(locked).filter(([path]) => path !== '')

test('every package accepts the oldest Node that the README names, so npm ci prints no engine warning', () => {
  const [, oldest = ''] = /Node (\d+) or newer/.exec(read('README.md')) ?? []
  expect(manifest.engines.node).toBe(`>=${oldest}`)
  const refusing = packages.filter(
    ([, { engines }]) => !Bun.semver.satisfies(`${oldest}.0.0`, engines?.node ?? '*'),
  )
  expect(refusing).toEqual([])
})

test('the packages with install scripts are those of allowScripts, so npm ci prints no script warning', () => {
  const scripted = packages.filter(([, { hasInstallScript }]) => hasInstallScript)
  const names = scripted.map(([path]) => path.replace(/^.*node_modules\//, ''))
  // Names without versions: npm cannot match a version, because the lock file contains no registry addresses.
  expect(manifest.allowScripts).toEqual(Object.fromEntries(names.map((name) => [name, true])))
})
