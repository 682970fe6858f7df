import { expect, test } from 'bun:test'
import { join } from 'node:path'
import { lockFolder } from '../../src/driver/lock.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'
import { until } from '../support/until.ts'

function tryLock(folder: string): string {
  try {
    lockFolder(folder).release()
    return 'free'
  } catch (error) {
    return error instanceof Error ? error.message : ''
  }
}

test('lockFolder() refuses a folder in use, until it is released', async () => {
  using folder = temporaryFolder()
  const lock = lockFolder(folder.path)
  expect(tryLock(folder.path)).toBe(
    `data dir ${folder.path} is in use by another driver; give each driver its own --data-dir`,
  )
  lock.release()
  expect(tryLock(folder.path)).toBe('free')
})

test('lockFolder() refuses other processes and leaves nothing behind after kill -9', async () => {
  using folder = temporaryFolder()
  const source = `
    const { lockFolder } = await import(${JSON.stringify(join(import.meta.dir, '../../src/driver/lock.ts'))})
    lockFolder(${JSON.stringify(folder.path)})
    console.log('locked')
    await new Promise(() => setInterval(() => {}, 1000))
  `
  const other = Bun.spawn([process.execPath, '-e', source], { stdout: 'pipe' })
  const reader = other.stdout.getReader()
  expect(new TextDecoder().decode((await reader.read()).value)).toBe('locked\n')
  expect(tryLock(folder.path)).toContain('is in use by another driver')
  other.kill('SIGKILL')
  await other.exited
  await until('the lock', () => tryLock(folder.path) === 'free')
})

test('lockFolder() reports when the folder cannot be written', () => {
  expect(tryLock('/proc/nowhere')).toStartWith('data dir /proc/nowhere cannot be locked: ')
})
