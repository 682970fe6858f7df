import { Database as Sqlite } from 'bun:sqlite'
import { expect, test } from 'bun:test'
import { chmodSync, chownSync, mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { AS_OTHER_USER, copyForOtherUser } from '../../support/executable/other-user.ts'
import { runSvc, Service } from '../../support/executable/service.ts'
import { skips, whyNot } from '../../support/faults/prerequisites.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'

interface Entry {
  act: string
  actor: string
  email: string
  subject: string
  detail: Record<string, unknown>
}

test('svc audit lists what operators did, also by command, and finds what was changed or cut off', async () => {
  using folder = temporaryFolder()
  const run = (...args: string[]) => runSvc(args, { cwd: folder.path })
  await using service = await Service.install(folder.path)
  await service.start()
  const token = await service.admin()
  const qpu = await service.createQpu('north')
  await service.call('POST', '/api/op/qpu/drain', { token, body: { name: 'north', drain: true } })
  const { id: user } = await service.createUser(10)
  const path = `/api/collections/users/records/${user}`
  const body = {
    qpu_seconds: 25,
    password: 'another secret',
    passwordConfirm: 'another secret',
    username: 'Ada',
  }
  expect((await service.call('PATCH', path, { token, body })).status).toBe(200)

  const listed = await run('audit', 'list', '--json')
  const entries = (JSON.parse(listed.out) as Entry[]).filter(({ act }) => act !== 'login')
  expect(entries.map(({ act }) => act)).toEqual([
    'superuser.create',
    'qpu.create',
    'qpu.drain',
    'record.create',
    'account.end_access',
    'user.account',
    'record.update',
  ])
  expect(entries[0]).toMatchObject({ actor: 'cli', email: '' })
  expect(entries[2]).toMatchObject({ email: 'admin@example.org', subject: qpu.id })
  expect(entries[5]?.detail).toEqual({ qpu_seconds: { from: 10, to: 25 } })
  expect(entries[6]?.detail).toMatchObject({
    fields: expect.arrayContaining(['qpu_seconds', 'password', 'username']),
    changes: { qpu_seconds: { from: 10, to: 25 } },
  })
  expect(listed.out).not.toMatch(/another secret|Ada|\$argon2/)
  const drain = await run('audit', 'list', '--act', 'qpu', '--by', 'admin@example.org', '--limit', '1')
  expect(drain.out).toMatch(
    /^\d{4}-\d\d-\d\d .*Z {2}superuser:\w{15} \(admin@example\.org\) {2}qpu\.drain {2}\w{15} {2}\{"draining":true,"reason":""\}\n$/,
  )
  expect((await run('audit', 'list', '--since', '2999-01-01')).out).toBe('')
  expect((await run('audit', 'list', '--since', '1h', '--subject', user)).out.split('\n')).toHaveLength(6)

  const logins = await run('audit', 'list', '--act', 'login', '--address', '127.0.0.1', '--json')
  expect(JSON.parse(logins.out)).toMatchObject([
    { email: 'admin@example.org', detail: { via: 'password', address: '127.0.0.1' } },
    { actor: `user:${user}` },
  ])
  expect((await run('audit', 'list', '--address', '192.0.2.1')).out).toBe('')

  const whole = await run('audit', 'verify')
  expect(whole.out).toMatch(/^svc_data: 9 entries, none changed or removed; head [0-9a-f]{64}\n$/)
  const head = whole.out.trim().split(' ').at(-1) ?? ''
  expect((await run('audit', 'verify', '--head', head)).status).toBe(0)
  await service.stop()
  const forge = (sql: string) => {
    using db = new Sqlite(join(folder.path, 'svc_data', 'svc.db'))
    db.run(sql)
  }
  forge('DELETE FROM audit_log WHERE seq = 9')
  expect((await run('audit', 'verify')).status).toBe(0)
  const cut = await run('audit', 'verify', '--head', head)
  expect(cut).toMatchObject({ status: 1, out: expect.stringContaining('but was cut off') })
  forge("UPDATE audit_log SET actor = 'cli' WHERE seq = 3")
  expect(await run('audit', 'verify')).toMatchObject({
    status: 1,
    out: 'svc_data: entry 3 of the audit log, or one before it, was changed or removed\n',
  })
})

test.each([
  [['audit', 'list', '--since', 'yesterday'], '--since: bad value "yesterday"; expected a time'],
  [['audit', 'list', '--since', '2026-13-01'], '--since: bad value "2026-13-01"; expected a time'],
  [['audit', 'list', '--limit', '0'], '--limit: bad value "0"; expected a whole number of at least 1'],
  [['audit', 'verify', '--head', 'abc'], '--head: bad value "abc"; expected 64 hexadecimal digits'],
  [['audit', 'verify'], 'There is no database in svc_data; name its folder with --dir'],
])('svc %j reports the error', async (args, text) => {
  using folder = temporaryFolder()
  const { status, err } = await runSvc(args, { cwd: folder.path })
  expect(status).toBeGreaterThan(0)
  expect(err).toContain(text)
})

const title = 'commands say so when they may not read the folder'
test.skipIf(skips(title, whyNot('setpriv')))(title, async () => {
  using folder = temporaryFolder()
  chmodSync(folder.path, 0o755)
  const dir = join(folder.path, 'svc_data')
  await runSvc(['superuser', 'upsert', 'a@example.org', 'a long password'], { cwd: folder.path })
  chmodSync(dir, 0o700)
  const home = join(folder.path, 'home')
  mkdirSync(home)
  chownSync(home, 65_534, 65_534)
  const asOtherUser = [...AS_OTHER_USER, copyForOtherUser(folder.path)]
  for (const args of [['doctor'], ['backup', join(home, 'b.db')], ['export'], ['audit', 'verify']]) {
    const run = Bun.spawn([...asOtherUser, ...args, '--dir', dir], {
      cwd: home,
      env: { PATH: process.env['PATH'] ?? '', HOME: home },
      stdio: ['ignore', 'ignore', 'pipe'],
    })
    const text = await new Response(run.stderr).text()
    expect([args[0], await run.exited, text]).toEqual([
      args[0],
      1,
      `The account that runs this (uid 65534) may not read ${dir}/svc.db; run it as the owner of the folder\n`,
    ])
  }
})
