import { afterAll, beforeAll, expect, setDefaultTimeout, test } from 'bun:test'
import { chmodSync, chownSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { AS_OTHER_USER, copyForOtherUser } from '../../support/executable/other-user.ts'
import { runSvc, Service } from '../../support/executable/service.ts'
import { skips, whyNot } from '../../support/faults/prerequisites.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'

// Root runs commands in the folder of a service that has an account of its own.
setDefaultTimeout(60_000)
const SERVICE = 65_534
const isSkipped = skips('commands of root', whyNot('setpriv', 'find'))
const EMAIL = 'b@example.org'

const folder = temporaryFolder()
const home = join(folder.path, 'service')
const data = join(home, 'svc_data')
const ofRoot = join(folder.path, 'root')
let executable = ''
let service: Service

const root = (...args: string[]) => runSvc(args, { cwd: home, executable, stdin: 'correct-horse-battery\n' })
const filesOfRoot = () => Bun.spawnSync(['find', home, '-user', '0']).stdout.toString()

beforeAll(async () => {
  if (isSkipped) return
  chmodSync(folder.path, 0o755)
  mkdirSync(home)
  mkdirSync(ofRoot, { mode: 0o700 })
  chownSync(home, SERVICE, SERVICE)
  executable = copyForOtherUser(folder.path)
  service = Service.elsewhere(home, { executable, prefix: AS_OTHER_USER })
  await service.start()
  await service.setUp()
  await service.stop()
})
afterAll(() => folder[Symbol.dispose]())

test.skipIf(isSkipped)('what root runs leaves no file of root, and the service starts again', async () => {
  for (const args of [
    ['doctor'],
    ['superuser', 'upsert', EMAIL],
    ['superuser', 'list'],
    ['audit', 'verify'],
    ['backup'],
    ['backup', './b.db', '--with-ca'],
    ['export', '-o', './e.jsonl'],
    ['restore', './b.db', '--with-ca'],
  ]) {
    const { status, err } = await root(...args)
    expect([args, status, err]).toEqual([args, 0, ''])
    expect([args, filesOfRoot()]).toEqual([args, ''])
  }
  await service.start()
  const token = await service.admin()
  expect((await service.call('GET', '/api/op/service', { token })).status).toBe(200)
  await service.stop()
})

test.skipIf(isSkipped)('links that the service puts in its folder lead root nowhere', async () => {
  const secret = join(ofRoot, 'secret')
  writeFileSync(secret, 'of root', { mode: 0o600 })
  symlinkSync(secret, join(home, 'c.db.check.partial'))
  expect((await root('backup', './c.db')).status).not.toBe(0)
  rmSync(join(home, 'c.db.check.partial'))
  rmSync(join(data, 'backups'), { recursive: true })
  symlinkSync(ofRoot, join(data, 'backups'))
  expect((await root('backup')).status).not.toBe(0)
  rmSync(join(data, 'backups'))
  // The folder itself.
  symlinkSync(ofRoot, join(home, 'other'))
  Bun.spawnSync(['chown', '-h', `${SERVICE}`, join(home, 'other')])
  expect((await root('superuser', 'upsert', EMAIL, '--dir', './other')).status).not.toBe(0)
  expect(Bun.spawnSync(['ls', ofRoot]).stdout.toString()).toBe('secret\n')
  expect(readFileSync(secret, 'utf8')).toBe('of root')
})

test.skipIf(isSkipped)(
  'a path that the service cannot use is refused with the account that can',
  async () => {
    const said = (path: string, what: string) =>
      `svc: ${path}: run as root, this command works as nobody, the owner of svc_data, who may not ${what} it; choose a path that sudo -u nobody can ${what}`
    expect((await root('backup', join(ofRoot, 'b.db'))).err.replace('svc backup:', 'svc:')).toContain(
      said(ofRoot, 'write to').slice(5),
    )
    writeFileSync(join(ofRoot, 'own.db'), '')
    expect((await root('restore', join(ofRoot, 'own.db'))).err).toContain(
      said(join(ofRoot, 'own.db'), 'read').slice(5),
    )
  },
)

test.skipIf(isSkipped)('files that root has left before are named', async () => {
  const left = ['svc.db-shm', 'svc.db-wal'].map((name) => join(data, name))
  for (const path of left) {
    writeFileSync(path, '')
    chmodSync(path, 0o600)
    chownSync(path, 0, 0)
  }
  service.launch()
  expect(await service.ended()).not.toBe(0)
  expect(service.log).toMatch(/this account may not read and write \S*svc\.db-(wal|shm)/)
  for (const path of left) rmSync(path)
})

test.skipIf(isSkipped)('a figure that cannot be read does not end the others', async () => {
  const record = join(data, 'svc.last-backup')
  writeFileSync(record, '')
  chownSync(record, 0, 0)
  chmodSync(record, 0o600)
  await service.start()
  const metrics = await (await fetch(`${service.url}/metrics`)).text()
  expect(metrics).toContain('svc_backup_age_seconds NaN')
  expect(metrics).toMatch(/svc_database_bytes \d+/)
  const token = await service.admin()
  expect((await service.call('GET', '/api/op/service', { token })).status).toBe(200)
  await service.stop()
})
