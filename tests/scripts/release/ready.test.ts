import { expect, test } from 'bun:test'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import manifest from '../../../package.json' with { type: 'json' }
import { temporaryFolder } from '../../support/temporary-folder.ts'

const ROOT = join(import.meta.dir, '../../..')

test('a release names every missing program and key before anything is made', async () => {
  using folder = temporaryFolder()
  const dist = join(folder.path, 'dist')
  const key = join(folder.path, 'release.key')
  const words = [manifest.version, '--quick', '--checks', '--dist', dist, '--key', key]
  const release = Bun.spawn([process.execPath, 'scripts/release/release.ts', ...words], {
    cwd: ROOT,
    env: { PATH: folder.path },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const err = await new Response(release.stderr).text()
  expect(await release.exited).not.toBe(0)
  for (const tool of ['go', 'python3', 'mmdebstrap', 'skopeo', 'lintian', 'minisign'])
    expect(err).toContain(`the program ${tool} is missing`)
  expect(err).toContain(`--key: there is no file ${key}`)
  expect(existsSync(`${dist}.unchecked`)).toBe(false)
})
