import { describe, expect, test } from 'bun:test'
import { lockFolder } from '../../../src/db/sqlite/lock.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'

const HOLDER = `
  const { lockFolder } = await import(process.env.LOCK_MODULE)
  globalThis.lock = lockFolder(process.env.LOCK_DIR)
  console.log('locked')
  setInterval(() => undefined, 1000)
`

/** Another process that owns the lock. */
async function holder(dir: string) {
  const child = Bun.spawn([process.execPath, '-e', HOLDER], {
    env: { ...process.env, LOCK_DIR: dir, LOCK_MODULE: `${import.meta.dir}/../../../src/db/sqlite/lock.ts` },
    stdout: 'pipe',
    stderr: 'inherit',
  })
  const reader = child.stdout.getReader()
  await reader.read()
  return child
}

describe('lockFolder()', () => {
  test('rejects while another process owns the lock, naming it, until that process is killed', async () => {
    using folder = temporaryFolder()
    const child = await holder(folder.path)
    try {
      const take = () => lockFolder(folder.path)
      expect(take).toThrow(`is in use by process ${child.pid}; stop it or choose another folder with --dir`)
      expect(take).toThrow(expect.objectContaining({ code: 'conflict', reason: 'folder_in_use' }))
    } finally {
      child.kill('SIGKILL')
      await child.exited
    }
    lockFolder(folder.path).release()
  })

  test('rejects the same process too, and failed attempts do not release the lock', async () => {
    using folder = temporaryFolder()
    const lock = lockFolder(folder.path)
    for (let each = 0; each < 2; each++) {
      expect(() => lockFolder(folder.path)).toThrow(`process ${process.pid}`)
    }
    const child = Bun.spawn([process.execPath, '-e', HOLDER], {
      env: {
        ...process.env,
        LOCK_DIR: folder.path,
        LOCK_MODULE: `${import.meta.dir}/../../../src/db/sqlite/lock.ts`,
      },
      stdout: 'ignore',
      stderr: 'pipe',
    })
    expect(await child.exited).not.toBe(0)
    expect(await new Response(child.stderr).text()).toContain(`process ${process.pid}`)
    lock.release()
    lock.release()
    lockFolder(folder.path).release()
  })
})
