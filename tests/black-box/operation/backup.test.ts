import { Database as Sqlite } from 'bun:sqlite'
import { expect, test } from 'bun:test'
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { BELL, runSvc, Service, SVC } from '../../support/executable/service.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'
import { until } from '../../support/until.ts'
import { part } from '../../support/whole.ts'

const modeOf = (path: string) => (statSync(path).mode & 0o777).toString(8)

const secondsSince = (started: number) => (performance.now() - started) / 1_000

interface Job {
  id: string
  status: string
}

test('a backup made while jobs run can be restored: nothing in it is lost, and the rest runs again', async () => {
  using folder = temporaryFolder()
  await using service = await Service.install(folder.path)
  await service.start()
  const qpu = await service.createQpu('north')
  const { token } = await service.createUser(1_000)
  const driver = service.startDriver('north', qpu)
  await service.untilOnline('north')
  const body = { circuits: [{ circuit: BELL }], shots: 10, qpu_target: 'north' }
  const submitted: string[] = []
  const completed = async () =>
    (await service.call<Job[]>('GET', '/api/jobs?limit=1000', { token })).body.filter(
      ({ status }) => status === 'completed',
    )
  let isOver = false
  const load = (async () => {
    while (!isOver) {
      const { status, body: job } = await service.call<Job>('POST', '/api/jobs', { token, body })
      if (status === 201) submitted.push(job.id)
      await Bun.sleep(5)
    }
  })()
  await until('the first jobs', async () => (await completed()).length > 5)
  const known = (await completed()).map(({ id }) => id)
  const pending = [...submitted]
  const backups = await Promise.all(
    ['--with-ca', 'named.db'].map((arg) => runSvc(['backup', arg], { cwd: folder.path })),
  )
  await until('more jobs', async () => (await completed()).length > known.length + 5)
  isOver = true
  await load
  for (const { status, err } of backups) expect({ status, err }).toEqual({ status: 0, err: '' })
  const [file = ''] = /^\S+\.db/.exec(backups[0]?.out ?? '') ?? []
  expect(file).toMatch(/^svc_data\/backups\/svc-\d{8}T\d{6}\.\d{3}Z\.db$/)
  expect(backups[0]?.out).toMatch(/\.db: no problems found \(\d+\.\d MB\)\n$/)
  const inFolder = (name: string) => join(folder.path, name)
  expect(
    [file, `${file}.ca.key`, `${file}.ca.pem`, 'named.db'].map((name) => modeOf(inFolder(name))),
  ).toEqual(Array(4).fill('600'))
  const verified = await runSvc(['backup', 'verify', 'named.db'], { cwd: folder.path })
  expect(verified).toMatchObject({ status: 0, out: expect.stringMatching(/^named\.db: no problems found/) })
  const running = await runSvc(['restore', file], { cwd: folder.path })
  expect(running.status).toBe(1)
  expect(running.err).toContain('is in use by process')

  await service.stop()
  const restored = await runSvc(['restore', file, '--with-ca'], { cwd: folder.path })
  expect(restored).toMatchObject({ status: 0, err: '' })
  expect(restored.out.split('\n').slice(0, 4)).toEqual([
    `Restored ${file} into svc_data`,
    'Restored the root CA at .svc.ca.pem and .svc.ca.key',
    'The replaced database is svc_data/svc.db.before-restore; remove it when you no longer need it',
    'Next: svc serve. Jobs, charges and token revocations since the backup are lost',
  ])
  expect(await service.doctor()).toMatchObject({ status: 0, out: 'svc_data: no problems found\n' })
  await service.start()
  const jobs = (await service.call<Job[]>('GET', '/api/jobs?limit=1000', { token })).body
  expect(pending.filter((id) => !jobs.some((job) => job.id === id))).toEqual([])
  expect(known.filter((id) => !jobs.some((job) => job.id === id && job.status === 'completed'))).toEqual([])
  // The driver is the same as before: it has results of attempts that the restored server has yet to make.
  await until('all restored jobs to end', async () => (await completed()).length === jobs.length)
  driver.kill('SIGTERM')
  await driver.exited
  await service.stop()
  expect(await service.doctor()).toMatchObject({ status: 0 })
}, 90_000)

test('a backup that is killed at any moment leaves no file of the final name that is not whole', async () => {
  using folder = temporaryFolder()
  await runSvc(['superuser', 'upsert', 'admin@example.org', 'a long password'], { cwd: folder.path })
  using file = new Sqlite(join(folder.path, 'svc_data', 'svc.db'))
  file.run(
    `WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 20000)
     INSERT INTO events (id, source, type, payload, ts, created, updated)
     SELECT printf('%015d', i), 'd', 'Reading', json_quote(hex(randomblob(1500))), '2026', '', '' FROM n`,
  )
  file.close()
  const whole = await runSvc(['backup', 'whole.db'], { cwd: folder.path })
  expect(whole).toMatchObject({ status: 0 })
  const { size } = statSync(join(folder.path, 'whole.db'))
  let partials = 0
  for (let at = 0; at < 12; at += part(1, 3)) {
    const backup = Bun.spawn([SVC, 'backup', `b${at}.db`], {
      cwd: folder.path,
      stdio: ['ignore', 'ignore', 'ignore'],
    })
    const partial = join(folder.path, `b${at}.db.${backup.pid}.partial`)
    const written = () => statSync(partial, { throwIfNoEntry: false })?.size ?? -1
    const isDone = () => written() >= (at / 12) * size || backup.exitCode !== null
    await until(`${at} twelfths of the backup`, isDone, { intervalMs: 1 })
    backup.kill('SIGKILL')
    await backup.exited
    const names = readdirSync(folder.path).filter((name) => name.startsWith(`b${at}.db`))
    partials += names.filter((name) => name.endsWith('.partial')).length
    if (!names.includes(`b${at}.db`)) continue
    expect((await runSvc(['backup', 'verify', `b${at}.db`], { cwd: folder.path })).status).toBe(0)
  }
  expect(partials).toBeGreaterThan(0)
}, 90_000)

test('svc backup --keep removes old backups of automatic names, after a good one', async () => {
  using folder = temporaryFolder()
  await runSvc(['superuser', 'upsert', 'admin@example.org', 'a long password'], { cwd: folder.path })
  const backups = join(folder.path, 'svc_data', 'backups')
  mkdirSync(backups)
  for (const name of ['svc-20200101T000000.000Z.db', 'svc-20200101T000000.000Z.db.ca.key', 'mine.db']) {
    writeFileSync(join(backups, name), '')
  }
  expect(await runSvc(['backup'], { cwd: folder.path })).toMatchObject({ status: 0 })
  expect(readdirSync(backups).length).toBe(5)
  const { status, out } = await runSvc(['backup', '--keep', '0:0', '--dir', 'svc_data'], { cwd: folder.path })
  expect(status).toBe(0)
  expect(out).toContain('removed svc_data/backups/svc-20200101T000000.000Z.db\n')
  const left = readdirSync(backups).toSorted()
  expect(left).toEqual([
    'mine.db',
    expect.stringMatching(/^svc-20[^0].*\.db$/),
    expect.stringMatching(/^svc-20[^0].*\.db\.check$/),
  ])
})

test('wrong calls and useless files end with the status of their kind and one line', async () => {
  using folder = temporaryFolder()
  const run = async (...args: string[]) => {
    const { status, err } = await runSvc(args, { cwd: folder.path })
    expect(err.split('\n').length).toBeLessThanOrEqual(2)
    return [status, err.trim()]
  }
  expect(await run('backup')).toEqual([1, 'There is no database in svc_data; name its folder with --dir'])
  expect(await run('backup', 'verify')).toEqual([
    2,
    'svc backup verify: missing FILE; see svc backup verify --help',
  ])
  expect(await run('backup', 'a', 'b')).toEqual([
    2,
    'svc backup: unexpected argument b; see svc backup --help',
  ])
  expect((await run('backup', '--keep', 'all'))[0]).toBe(2)
  expect((await run('backup', 'a.db', '--keep', '7:4'))[0]).toBe(2)
  expect(await run('backup', '--with-ca')).toEqual([1, '.svc.ca.pem does not exist, but --with-ca needs it'])
  expect((await run('restore'))[0]).toBe(2)
  expect(await run('restore', 'none.db')).toEqual([1, 'There is no file none.db'])
  writeFileSync(join(folder.path, 'text.db'), 'hello'.repeat(1_000))
  expect(await run('restore', 'text.db')).toEqual([3, 'text.db is not a backup of svc, but other text'])
  expect((await run('backup', 'verify', 'text.db'))[0]).toBe(3)
  expect(existsSync(join(folder.path, 'svc_data'))).toBe(false)
  for (const command of ['backup', 'restore']) {
    const { status, out } = await runSvc([command, '--help'], { cwd: folder.path })
    expect(status).toBe(0)
    expect(out).toContain('--with-ca')
  }
})

test('SIGHUP reloads the reloadable settings of the config file, and refuses a bad file as a whole', async () => {
  using folder = temporaryFolder()
  const config = join(folder.path, 'svc.config.yml')
  writeFileSync(config, 'eventsRetention: 720h\n')
  await using service = await Service.install(folder.path, { flags: ['--log-format', 'json'] })
  await service.start()
  const hangUp = async (text: string, says: string) => {
    writeFileSync(config, text)
    process.kill(service.pid ?? 0, 'SIGHUP')
    await until(`the log to say ${says}`, async () => service.log.includes(says))
  }
  await hangUp(
    'eventsRetention: soon\nlogLevel: error\n',
    'settings not reloaded; the previous ones remain in force',
  )
  expect(service.log).toContain('eventsRetention: bad value \\"soon\\"')
  await hangUp('eventsRetention: 24h\nlogLevel: debug\nsiteName: Lab\n', 'settings reloaded')
  await until('the warning', async () => service.log.includes('take effect at the next start'))
  const lines = service.log
    .split('\n')
    .filter((line) => line.includes('settings'))
    .map((line) => JSON.parse(line))
  expect(lines.slice(-2)).toMatchObject([
    { message: 'settings reloaded', changed: '--events-retention, --log-level' },
    { message: 'changed settings take effect at the next start', settings: '--site-name' },
  ])
  await service.call('GET', '/api/health')
  expect(readFileSync(config, 'utf8')).toContain('Lab')
  expect(await service.stop()).toBe(0)
})

test('--every backs up until it is stopped, keeps the last ones, and the server reports their age', async () => {
  using folder = temporaryFolder()
  await using service = await Service.install(folder.path)
  await service.start()
  const admin = await service.admin()
  const age = async () => {
    const response = await fetch(`${service.url}/metrics`, { headers: { authorization: admin } })
    return /^svc_backup_age_seconds (\S+)$/m.exec(await response.text())?.[1]
  }
  expect(await age()).toBe('+Inf')
  const backups = join(folder.path, 'svc_data/backups')
  const all = () => (existsSync(backups) ? readdirSync(backups).toSorted() : [])
  const names = () => all().filter((name) => !name.endsWith('.check'))
  const args = ['backup', '--every', '1s', '--keep', '2:0:0']
  const start = () => Bun.spawn([SVC, ...args], { cwd: folder.path, stdio: ['ignore', 'pipe', 'pipe'] })
  const started = performance.now()
  const running = start()
  await until('the first backup', async () => names().some((name) => name.endsWith('Z.db')))
  const [first = ''] = names()
  await until('its removal', async () => !names().includes(first) && names().length === 2)
  running.kill('SIGTERM')
  expect(await running.exited).toBe(0)
  expect((await new Response(running.stdout).text()).split('\n')[0]).toMatch(/Z\.db: no problems found/)
  expect([names().length, all().length]).toEqual([2, 4])
  expect(names().every((name) => /^svc-.*Z\.db$/.test(name) && modeOf(join(backups, name)) === '600')).toBe(
    true,
  )
  expect(Number(await age())).toBeLessThanOrEqual(secondsSince(started))
  // Elsewhere too: a backup with a name of its own counts.
  const next = performance.now()
  expect((await runSvc(['backup', 'named.db'], { cwd: folder.path })).status).toBe(0)
  expect(Number(await age())).toBeLessThanOrEqual(secondsSince(next))
})

test('--every survives failures and ends with the status of the last backup', async () => {
  using folder = temporaryFolder()
  mkdirSync(join(folder.path, 'svc_data'))
  const running = Bun.spawn([SVC, 'backup', '--every', '1s'], {
    cwd: folder.path,
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let log = ''
  const reading = (async () => {
    const decoder = new TextDecoder()
    for await (const chunk of running.stderr) log += decoder.decode(chunk)
  })()
  await until('two failures', async () => (log.match(/backup failed/g) ?? []).length >= 2)
  expect(log).toContain('There is no database')
  running.kill('SIGTERM')
  expect(await running.exited).toBe(1)
  await reading
  const together = await runSvc(['backup', 'named.db', '--every', '1s'], { cwd: folder.path })
  expect(together.status).toBe(2)
  expect(together.err).toContain('leave FILE out')
})
