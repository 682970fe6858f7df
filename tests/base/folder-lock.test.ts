import { expect, test } from 'bun:test'
import { readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { FolderInUseError, takeFolderLock } from '../../src/base/index.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

function errorOf(work: () => unknown): unknown {
  try {
    work()
    return undefined
  } catch (error) {
    return error
  }
}

test.each([true, false])(
  'takeFolderLock() with storesPid %p refuses a second holder until release()',
  (storesPid) => {
    using folder = temporaryFolder()
    const file = join(folder.path, 'lock')
    const lock = takeFolderLock(file, { storesPid })
    const error = errorOf(() => takeFolderLock(file, { storesPid }))
    expect(error).toBeInstanceOf(FolderInUseError)
    expect(error).toMatchObject({ pid: storesPid ? process.pid : undefined })
    lock.release()
    lock.release()
    takeFolderLock(file, { storesPid }).release()
  },
)

test.each([true, false])('takeFolderLock() with storesPid %p leaves one file', (storesPid) => {
  using folder = temporaryFolder()
  const file = join(folder.path, 'lock')
  const lock = takeFolderLock(file, { storesPid })
  expect(readdirSync(folder.path)).toEqual(['lock'])
  expect(statSync(file).size > 0).toBe(storesPid)
  lock.release()
})

test('takeFolderLock() throws the error of SQLite when the file cannot be created', () => {
  const error = errorOf(() => takeFolderLock('/proc/nowhere/lock', { storesPid: true }))
  expect(error).toMatchObject({ name: 'SQLiteError' })
})
