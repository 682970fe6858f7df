import { expect, setDefaultTimeout, test } from 'bun:test'
import { readFileSync, statSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { openFileService } from '../../support/executable/file-service.ts'
import { SVC } from '../../support/executable/service.ts'

setDefaultTimeout(60_000)

const { service } = await openFileService()

interface Registered {
  token: string
  snippets: { store_token: string; start: string }
}

test('the commands of a registration start the driver from any folder, without the token as argument', async () => {
  await service.createQpu('north')
  const body = { name: 'north-b', qpu: 'north', operation: 'process', device: 'mock' }
  const token = await service.admin()
  const registered = await service.call<Registered>('POST', '/api/op/drivers/create', { token, body })
  const { token: secret, snippets } = registered.body
  expect(snippets.start).not.toContain(secret)
  expect(snippets.store_token).not.toContain(secret)
  const home = service.folder
  const options = { cwd: '/', env: { PATH: `${dirname(SVC)}:${process.env['PATH'] ?? ''}`, HOME: home } }
  const stored = Bun.spawn(['sh', '-c', snippets.store_token], { ...options, stdin: new Blob([secret]) })
  expect(await stored.exited).toBe(0)
  const file = join(home, 'svc-driver/north_b/token')
  expect(readFileSync(file, 'utf8')).toBe(secret)
  expect(statSync(file).mode & 0o777).toBe(0o600)
  const driver = Bun.spawn(['sh', '-c', `exec ${snippets.start}`], options)
  try {
    await service.untilOnline('north')
    expect(readFileSync(`/proc/${driver.pid}/cmdline`, 'utf8')).not.toContain(secret)
  } finally {
    driver.kill('SIGTERM')
    await driver.exited
  }
})
