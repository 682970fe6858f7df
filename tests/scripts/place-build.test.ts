import { afterEach, beforeEach, expect, test } from 'bun:test'
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { rename } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { buildAndPlace, replace } from '../../scripts/place-build.ts'

let root: string
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'svc-place-'))
})
afterEach(() => rmSync(root, { recursive: true }))

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
    makeFolder(join(root, 'web'), 'old.js')
    makeFolder(join(root, 'web.partial'), 'interrupted.js')
    makeFolder(join(root, 'new'), 'new.js')
    await replace(join(root, 'new'), join(root, 'web'), move)
    expect(readdirSync(join(root, 'web'))).toEqual(['new.js'])

    writeFileSync(join(root, 'svc'), 'old')
    writeFileSync(join(root, 'made'), 'new')
    await replace(join(root, 'made'), join(root, 'svc'), move)
    expect(readFileSync(join(root, 'svc'), 'utf8')).toBe('new')
  })
}

test('buildAndPlace() builds in the temporary folder of the system and leaves nothing there', async () => {
  const target = join(root, 'svc')
  let made = ''
  const built = await buildAndPlace('svc', target, async (path) => {
    made = path
    writeFileSync(path, 'new')
    writeFileSync(`${path}.map`, 'map')
    return 42
  })
  expect(built).toBe(42)
  expect(made.startsWith(tmpdir())).toBe(true)
  expect(readdirSync(root)).toEqual(['svc'])
  expect(() => readdirSync(join(made, '..'))).toThrow('ENOENT')
})

test('buildAndPlace() keeps the old build when the new one fails', async () => {
  const target = join(root, 'web')
  makeFolder(target, 'old.js')
  const failing = buildAndPlace('web', target, () => Promise.reject(new Error('syntax')))
  await expect(failing).rejects.toThrow('syntax')
  expect(readdirSync(root)).toEqual(['web'])
  expect(readdirSync(target)).toEqual(['old.js'])
})
