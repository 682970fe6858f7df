import { expect, test } from 'bun:test'
import { chmodSync } from 'node:fs'
import { join } from 'node:path'
import { isAlive, untilExit } from '../process-state.ts'
import { temporaryFolder } from '../temporary-folder.ts'
import { postgresMissing } from './server.ts'

const missing = Bun.which('setpriv') ? postgresMissing : 'the system has no setpriv'
if (missing) console.warn(`a test of PostgreSQL does not run: ${missing}`)

test.skipIf(missing !== undefined)(
  'startServer() leaves no server behind tests that are killed',
  async () => {
    using folder = temporaryFolder()
    // The account of PostgreSQL passes through it.
    chmodSync(folder.path, 0o711)
    const tests = Bun.spawn([process.execPath, join(import.meta.dir, 'server.process.ts')], {
      env: { ...process.env, TMPDIR: folder.path, SVC_TEST_STORE: 'sqlite' },
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    const { value } = await tests.stdout.getReader().read()
    const pid = Number(new TextDecoder().decode(value))
    expect(await isAlive(pid)).toBe(true)
    tests.kill('SIGKILL')
    await tests.exited
    await untilExit(pid)
  },
)
