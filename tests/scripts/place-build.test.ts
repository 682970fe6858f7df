import { afterEach, beforeEach, expect, test } from 'bun:test'
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { rename } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { buildAndPlace, replace } from '../../scripts/place-build.ts'
import { type TemporaryFolder, temporaryFolder } from '../support/temporary-folder.ts'

let root: TemporaryFolder
beforeEach(() => {
  root = temporaryFolder()
})
afterEach(() => root[Symbol.dispose]())

/** Makes a folder with one file. */
function makeFolder(path: string, file: string): void {
  mkdirSync(path)
  writeFileSync(join(path, file), file)
}

/** As `rename` between file systems. */
const moveAcross: typeof rename = () =>
  Promise.reject(Object.assign(new Error('other device'), { code: 'EXDEV' }))

for (const [where, move] of [
  ['the same file system', rename],
  ['another file system', moveAcross],
] as const) {
  test(`replace() replaces a folder and a file from ${where}`, async () => {
    makeFolder(join(root.path, 'web'), 'old.js')
    makeFolder(join(root.path, 'web.partial'), 'interrupted.js')
    makeFolder(join(root.path, 'new'), 'new.js')
    await replace(join(root.path, 'new'), join(root.path, 'web'), move)
    expect(readdirSync(join(root.path, 'web'))).toEqual(['new.js'])

    writeFileSync(join(root.path, 'svc'), 'old')
    writeFileSync(join(root.path, 'made'), 'new')
    await replace(join(root.path, 'made'), join(root.path, 'svc'), move)
    expect(readFileSync(join(root.path, 'svc'), 'utf8')).toBe('new')
  })
}

test('buildAndPlace() builds in the temporary folder of the system and leaves nothing there', async () => {
  const target = join(root.path, 'svc')
  let made = ''
  const built = await buildAndPlace('svc', target, async (path) => {
    made = path
    writeFileSync(path, 'new')
    writeFileSync(`${path}.map`, 'map')
    return 42
  })
  expect(built).toBe(42)
  expect(made.startsWith(tmpdir())).toBe(true)
  expect(readdirSync(root.path)).toEqual(['svc'])
  expect(() => readdirSync(join(made, '..'))).toThrow('ENOENT')
})

test('buildAndPlace() keeps the old build when the new one fails', async () => {
  const target = join(root.path, 'web')
  makeFolder(target, 'old.js')
  const failing = buildAndPlace('web', target, () => Promise.reject(new Error('syntax')))
  await expect(failing).rejects.toThrow('syntax')
  expect(readdirSync(root.path)).toEqual(['web'])
  expect(readdirSync(target)).toEqual(['old.js'])
})

test('buildAndPlace() makes the folder of its target', async () => {
  const target = join(root.path, 'dist/linux/svc')
  await buildAndPlace('svc', target, async (path) => writeFileSync(path, 'new'))
  expect(readFileSync(target, 'utf8')).toBe('new')
})
