import { describe, expect, test } from 'bun:test'
import { chmodSync, mkdirSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createLog, createPrivateFile, makeFolderPrivate, makePrivate } from '../../../src/base/index.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'

function capture() {
  const lines: string[] = []
  const log = createLog({ level: 'debug', format: 'json', write: (line) => lines.push(line) })
  return { log, lines }
}

const modeOf = (path: string) => statSync(path).mode & 0o777

test('a private file has mode 0600 whatever the umask, and keeps its content', () => {
  using folder = temporaryFolder()
  const path = join(folder.path, 'file')
  const umask = process.umask(0)
  try {
    createPrivateFile(path)
  } finally {
    process.umask(umask)
  }
  expect(modeOf(path)).toBe(0o600)
  writeFileSync(path, 'kept')
  createPrivateFile(path)
  expect(statSync(path).size).toBe(4)
})

describe('makePrivate()', () => {
  test.each([0o604, 0o640, 0o666, 0o610])('removes mode %o of a file and logs it once', (mode) => {
    using folder = temporaryFolder()
    const { log, lines } = capture()
    const path = join(folder.path, 'file')
    writeFileSync(path, '')
    chmodSync(path, mode)
    makePrivate(path, log)
    makePrivate(path, log)
    expect(modeOf(path)).toBe(0o600)
    expect(lines).toHaveLength(1)
    expect(lines[0]).toContain('permissions tightened')
    expect(lines[0]).toContain(`0${mode.toString(8)}`)
  })

  test('leaves what is private, absent or a link', () => {
    using folder = temporaryFolder()
    const { log, lines } = capture()
    const target = join(folder.path, 'target')
    writeFileSync(target, '', { mode: 0o400 })
    symlinkSync(target, join(folder.path, 'link'))
    for (const name of ['target', 'link', 'absent']) makePrivate(join(folder.path, name), log)
    expect(modeOf(target)).toBe(0o400)
    expect(lines).toEqual([])
  })

  test('refuses a folder that all users share', () => {
    using folder = temporaryFolder()
    const shared = join(folder.path, 'shared')
    mkdirSync(shared)
    chmodSync(shared, 0o1777)
    expect(() => makePrivate(shared, capture().log)).toThrow('name a folder of its own')
    expect(statSync(shared).mode & 0o1777).toBe(0o1777)
  })
})

test('makeFolderPrivate() covers the folder and the selected entries', () => {
  using folder = temporaryFolder()
  const { log, lines } = capture()
  for (const name of ['secret', 'other']) {
    writeFileSync(join(folder.path, name), '')
    chmodSync(join(folder.path, name), 0o644)
  }
  chmodSync(folder.path, 0o755)
  makeFolderPrivate(folder.path, log, (name) => name === 'secret')
  expect(
    [folder.path, 'secret', 'other'].map((name) => modeOf(join(folder.path, name.replace(folder.path, '')))),
  ).toEqual([0o700, 0o600, 0o644])
  expect(lines).toHaveLength(2)
})
