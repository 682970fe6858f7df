import { expect, setDefaultTimeout, test } from 'bun:test'
import { chmodSync, chownSync, mkdirSync, readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { $ } from 'bun'
import { submit, untilJob } from '../../support/executable/job-calls.ts'
import { AS_OTHER_USER, copyForOtherUser } from '../../support/executable/other-user.ts'
import { runSvc, Service } from '../../support/executable/service.ts'
import { skips, whyNot } from '../../support/faults/prerequisites.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'

setDefaultTimeout(60_000)

const isSkipped = skips('permissions against another user', whyNot('setpriv'))

/** Files and folders below `path` that group or others can access, except certificates, which are public. */
function openFiles(path: string): string[] {
  const entries = readdirSync(path, { recursive: true, withFileTypes: true })
  return entries
    .map((entry) => join(entry.parentPath, entry.name))
    .filter((each) => !each.endsWith('.pem') && (statSync(each).mode & 0o077) !== 0)
}

/** The exit status of a command of another user, and what it printed. */
async function asOther(...command: string[]) {
  const run = await $`${AS_OTHER_USER} ${command}`.nothrow().quiet()
  return { status: run.exitCode, text: `${run.stdout}${run.stderr}` }
}

test.skipIf(isSkipped)(
  'with umask 0, no other user can read or write what server, driver and backup store',
  async () => {
    using folder = temporaryFolder()
    chmodSync(folder.path, 0o755)
    const umask = process.umask(0)
    try {
      await using service = await Service.install(folder.path)
      await service.start()
      const qpu = await service.createQpu('target')
      const user = await service.createUser(1_000)
      await using driver = service.startDriver('target', qpu)
      await untilJob(service, user.token, await submit(service, user.token), ['completed'])
      expect((await runSvc(['backup'], { cwd: folder.path })).status).toBe(0)
      expect((await runSvc(['export', '-o', 'records.jsonl'], { cwd: folder.path })).status).toBe(0)
      const data = join(folder.path, 'svc_data')
      expect(openFiles(data)).toEqual([])
      expect(readdirSync(data)).toEqual(
        expect.arrayContaining(['backups', 'svc.db', 'svc.db-mark', 'svc.db-shm', 'svc.db-wal', 'svc.lock']),
      )
      expect(statSync(data).mode & 0o777).toBe(0o700)
      expect(openFiles(join(folder.path, 'drivers/target/data'))).toEqual([])
      expect(statSync(join(folder.path, 'records.jsonl')).mode & 0o777).toBe(0o600)
      for (const name of ['svc.db', 'svc.db-wal', 'backups']) {
        expect((await asOther('cat', join(data, name))).status).not.toBe(0)
      }
      expect((await asOther('touch', join(data, 'svc.lock'))).status).not.toBe(0)
      expect((await asOther('cat', join(folder.path, '.svc.key'))).text).toMatch(/denied|No such file/)
      void driver
    } finally {
      process.umask(umask)
    }
  },
)

test('wider permissions are tightened at the start, with one line in the log for each', async () => {
  using folder = temporaryFolder()
  await using service = await Service.install(folder.path)
  await service.start()
  await service.stop()
  const data = join(folder.path, 'svc_data')
  chmodSync(data, 0o755)
  for (const name of ['svc.db', 'svc.lock']) chmodSync(join(data, name), 0o644)
  const before = service.log.length
  await service.start()
  const log = service.log.slice(before)
  expect(log.match(/permissions tightened/g)).toHaveLength(3)
  expect(openFiles(data)).toEqual([])
  expect(statSync(data).mode & 0o777).toBe(0o700)
})

test.skipIf(isSkipped)('what cannot be tightened is refused with the command that does it', async () => {
  using folder = temporaryFolder()
  chmodSync(folder.path, 0o755)
  const home = join(folder.path, 'home')
  const data = join(folder.path, 'data')
  for (const path of [home, data]) mkdirSync(path)
  chownSync(home, 65_534, 65_534)
  chmodSync(data, 0o777)
  const executable = copyForOtherUser(folder.path)
  const started = await $`${AS_OTHER_USER} ${executable} serve --dir ${data} --server-port 0 --https-port 0`
    .cwd(home)
    .env({ PATH: process.env['PATH'] ?? '', HOME: home })
    .nothrow()
    .quiet()
  expect(started.exitCode).toBe(1)
  expect(started.stderr.toString()).toMatch(new RegExp(`^[^\\n]*run as its owner: chmod 0700 ${data}\\n$`))
  expect(readdirSync(data)).toEqual([])
})
