import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { runSvc, Service } from '../../support/executable/service.ts'
import { postgresMissing, startServer, type TestServer } from '../../support/postgres/server.ts'
import { JobLab } from '../../support/server/job-lab.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'
import { until } from '../../support/until.ts'

const START_MS = 60_000

describe.skipIf(postgresMissing !== undefined)('commands on a database on PostgreSQL', () => {
  let server: TestServer
  beforeAll(async () => {
    server = await startServer()
  }, START_MS)
  afterAll(() => server?.[Symbol.asyncDispose]())

  test(
    'superusers, records, their check and the audit log are those of PostgreSQL; backups are refused',
    async () => {
      using folder = temporaryFolder()
      const { host, port, database, user } = await server.createDatabase()
      const url = `postgres://${user}@${host}:${port}/${database}`
      const svc = (...args: string[]) => runSvc(args, { cwd: folder.path, env: { SVC_DATABASE: url } })
      const none = await svc('doctor')
      expect([none.status, none.err]).toEqual([1, expect.stringContaining('svc serve creates its tables')])
      expect((await svc('superuser', 'list')).out).toBe('')
      const record = {
        collection: 'users',
        id: 'ada000000000000',
        email: 'ada@example.org',
        qpu_seconds: 1.5,
      }
      writeFileSync(join(folder.path, 'in.jsonl'), `${JSON.stringify(record)}\n`)
      expect((await svc('import', 'in.jsonl')).out).toBe('Imported 1 users\n')
      expect((await svc('superuser', 'create', 'root@example.org', 'a long password')).status).toBe(0)
      expect((await svc('superuser', 'list')).out).toBe('root@example.org\n')
      expect(await svc('doctor')).toEqual({ out: `${url}: no problems found\n`, err: '', status: 0 })
      expect((await svc('audit', 'verify')).out).toContain(`${url}: 2 entries, none changed or removed`)
      expect((await svc('audit', 'list', '--act', 'import')).out).toContain('in.jsonl')
      expect((await svc('export', '--collection', 'users', '-o', 'out.jsonl')).status).toBe(0)
      const [line = ''] = readFileSync(join(folder.path, 'out.jsonl'), 'utf8').split('\n')
      expect(JSON.parse(line)).toMatchObject(record)
      expect((await svc('export', '--whole')).status).toBe(2)
      expect((await svc('export', '--whole', '-o', 'whole.jsonl')).status).toBe(0)
      expect(statSync(join(folder.path, 'whole.jsonl')).mode & 0o777).toBe(0o600)
      expect((await svc('import', 'whole.jsonl')).err).toContain('into a new one only')
      const onFile = (...args: string[]) => runSvc(args, { cwd: folder.path })
      expect((await onFile('import', 'whole.jsonl')).out).toContain('1 users')
      expect((await onFile('audit', 'verify')).out).toContain('svc_data: 2 entries, none changed or removed')
      expect((await onFile('doctor')).out).toBe('svc_data: no problems found\n')
      for (const command of [['backup'], ['restore', 'x.db']]) {
        const { status, err } = await svc(...command)
        expect([status, err]).toEqual([1, expect.stringContaining('pg_dump')])
      }
      expect(JSON.parse((await svc('doctor', '--accept-loss', '--json')).out).accepted_loss).toBeNull()
    },
    START_MS,
  )

  test(
    'a server does not lead a database that is older than it has seen, until svc doctor accepts the loss',
    async () => {
      using folder = temporaryFolder()
      const at = await server.createDatabase()
      const url = `postgres://${at.user}@${at.host}:${at.port}/${at.database}`
      await using service = Service.elsewhere(folder.path, { flags: ['--database', url] })
      const svc = (...args: string[]) => runSvc(args, { cwd: folder.path, env: { SVC_DATABASE: url } })
      service.launch()
      await service.untilLogged('server started')
      await service.setUp()
      const replica = await server.dumpAndRestore(at)
      const { id } = await service.createUser(10)
      const noted = () => readFileSync(join(folder.path, 'svc_data/postgres-note.json'), 'utf8')
      const first = noted()
      await until('a later note', () => noted() !== first)
      expect(await service.stop('SIGKILL')).toBe(137)
      await server.replace(at, replica)
      service.launch()
      expect(await service.ended()).toBe(3)
      expect(service.log).toContain('svc doctor --accept-loss')
      const accepted = await svc('doctor', '--accept-loss', '--json')
      expect(JSON.parse(accepted.out)).toMatchObject({
        accepted_loss: { since: expect.stringMatching(/Z$/), until: expect.stringMatching(/Z$/) },
        findings: [],
      })
      expect((await svc('audit', 'list', '--act', 'loss.accept')).out).toContain('older')
      const from = service.log.length
      service.launch()
      await service.untilLogged('server started', from)
      expect(await server.run(`SELECT id FROM users WHERE id = '${id}'`, at)).toEqual([])
    },
    START_MS,
  )

  test(
    'recorded jobs are those of PostgreSQL, never those of the file that it has replaced',
    async () => {
      await using lab = await JobLab.open()
      await lab.running(await lab.user())
      const { host, port, database, user } = await server.createDatabase()
      const env = { SVC_DATABASE: `postgres://${user}@${host}:${port}/${database}` }
      const svc = (...args: string[]) => runSvc([...args, '--dir', lab.dir], { cwd: lab.dir, env })
      const onFile = (...args: string[]) => runSvc([...args, '--dir', lab.dir], { cwd: lab.dir })
      expect((await onFile('export', '--whole', '-o', 'whole.jsonl')).status).toBe(0)
      expect((await svc('import', 'whole.jsonl')).status).toBe(0)
      const recorded = await onFile('simulate', '--json')
      expect(JSON.parse(recorded.out)).toMatchObject({ recording: { jobs: 1 } })
      await lab.submit(await lab.user())
      expect(await svc('simulate', '--json')).toEqual(recorded)
      for (const path of [lab.dir, join(lab.dir, 'svc.db')]) {
        const { status, err } = await svc('simulate', '--from', path)
        expect([status, err]).toEqual([
          2,
          expect.stringContaining('the configured database is on PostgreSQL'),
        ])
      }
      const both = await svc('simulate', '--from', 'x.db', '--database', env.SVC_DATABASE)
      expect([both.status, both.err]).toEqual([2, expect.stringContaining('--from and --database')])
    },
    START_MS,
  )
})
