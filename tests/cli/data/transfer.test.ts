import { describe, expect, test } from 'bun:test'
import { existsSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { runSvc } from '../../support/executable/service.ts'
import { openTestServer, TestClient } from '../../support/server/server.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'

const svc = (cwd: string, ...args: string[]) => runSvc(args, { cwd })

/** Writes JSON lines into `folder`; returns the file's name. */
function write(folder: string, records: object[]): string {
  writeFileSync(join(folder, 'in.jsonl'), records.map((record) => `${JSON.stringify(record)}\n`).join(''))
  return 'in.jsonl'
}

describe('svc import', () => {
  test('imports accounts: passwords, tokens, balances and jobs work as before', async () => {
    using folder = temporaryFolder()
    const token = 'a token of the other store'
    const file = write(folder.path, [
      {
        collection: 'users',
        id: 'ada000000000000',
        email: 'ada@example.org',
        password_hash: await Bun.password.hash('their old password', { algorithm: 'bcrypt', cost: 4 }),
        qpu_seconds: 12.5,
      },
      {
        collection: 'api_tokens',
        user: 'ada000000000000',
        token: new Bun.CryptoHasher('sha256').update(token).digest('hex'),
      },
      {
        collection: 'quantum_jobs',
        user_id: 'ada000000000000',
        status: 'completed',
        attempt: 2,
        payload: { circuit: 'as it was' },
        results: { counts: { 0: 1 } },
      },
      { collection: 'quantum_jobs', user_id: 'ada000000000000', payload: { qasm: 'OPENQASM 3.0; qubit q;' } },
    ])
    expect(await svc(folder.path, 'import', file)).toEqual({
      out: 'Imported 1 users, 1 api_tokens, 2 quantum_jobs\n',
      err: '',
      status: 0,
    })
    expect((await svc(folder.path, 'doctor')).out).toBe('svc_data: no problems found\n')
    await using server = await openTestServer({ folder: folder.path })
    const login = await server.guest.post('/api/collections/users/auth-with-password', {
      identity: 'ada@example.org',
      password: 'their old password',
    })
    expect(login.status).toBe(200)
    expect(login.get('record')).toMatchObject({ qpu_seconds: 12.5 })
    const program = new TestClient(server.url, { 'x-api-token': token }, server.server.routes)
    const jobs = (await program.get('/api/jobs?sort=created')).body
    expect(jobs).toMatchObject([
      { status: 'completed', results: { counts: { 0: 1 } }, attempt: 2 },
      { status: 'pending', payload: { circuits: [{ circuit: 'OPENQASM 3.0; qubit q;' }], shots: 1024 } },
    ])
    const [ended] = jobs as { id: string }[]
    const { body } = await program.get(`/api/jobs/${ended?.id}`)
    expect(body).toMatchObject({ charged_seconds: null, timeline: [{ event: 'imported', attempt: 2 }] })
  })

  test('names every wrong line, writes nothing and exits with 1', async () => {
    using folder = temporaryFolder()
    const file = write(folder.path, [
      { collection: 'users', email: 'nobody' },
      { collection: 'quantum_jobs', payload: { circuits: [{ circuit: '', shots: 0 }] } },
      { collection: 'api_tokens', user: 'ada000000000000', token: '0'.repeat(64) },
      { collection: 'quantum_jobs', payload: { circuits: ['OPENQASM 3.0; qubit q;\nnothing q;'], old: 1 } },
    ])
    const { out, err, status } = await svc(folder.path, 'import', file)
    expect({ out, status }).toEqual({ out: '', status: 1 })
    expect(err.trimEnd().split('\n')).toEqual([
      'in.jsonl:1: users.email: Must be a valid email address.',
      'in.jsonl:2: quantum_jobs.payload.circuits.0.circuit: Cannot be blank.',
      'in.jsonl:2: quantum_jobs.payload.circuits.0.shots: Expected at least 1 (got 0).',
      'in.jsonl:3: api_tokens.user: there is no record ada000000000000 in users',
      expect.stringContaining(
        'in.jsonl:4: quantum_jobs.payload.circuits.0.circuit: line 2, column 1: There is no gate',
      ),
      'Nothing was imported; correct the errors above (at most 100 are shown) and try again',
    ])
    expect((await svc(folder.path, 'export')).out).toBe('')
  })

  test('refuses while the server runs', async () => {
    await using server = await openTestServer()
    const file = write(server.folder, [{ collection: 'users' }])
    const { err, status } = await svc(server.folder, 'import', file)
    expect(err).toContain('is in use by process')
    expect(status).toBe(1)
  })
})

describe('svc export', () => {
  test('exports what a running server has committed, and the import elsewhere is equal', async () => {
    await using server = await openTestServer()
    await server.createUser({ qpuSeconds: 60, email: 'ada@example.org' })
    await server.createQpu('kelvin')
    const { out, err, status } = await svc(server.folder, 'export')
    expect({ err, status }).toEqual({ err: '', status: 0 })
    expect(out).toContain('"email":"ada@example.org"')
    const { out: users } = await svc(server.folder, 'export', '--collection', 'users', '--format', 'csv')
    expect(users.split('\r\n')[0]).toStartWith(
      'id,email,emailVisibility,verified,password_hash,username,qpu_seconds',
    )
    expect(users).toContain(',ada@example.org,')
    expect((await svc(server.folder, 'export', '-o', 'all.jsonl')).status).toBe(0)
    expect(readFileSync(join(server.folder, 'all.jsonl'), 'utf8')).toBe(out)
    expect(statSync(join(server.folder, 'all.jsonl')).mode & 0o777).toBe(0o600)
    expect((await svc(server.folder, 'import', 'all.jsonl', '--dir', 'other')).status).toBe(0)
    expect((await svc(server.folder, 'export', '--dir', 'other')).out).toBe(out)
    expect((await svc(server.folder, 'doctor', '--dir', 'other')).status).toBe(0)
  })

  test('reports what it cannot do', async () => {
    using folder = temporaryFolder()
    const refused = async (...args: string[]) => {
      const { out, err, status } = await svc(folder.path, 'export', ...args)
      expect(out).toBe('')
      return `${status} ${err.trimEnd()}`
    }
    expect(await refused()).toBe('1 There is no database in svc_data; name its folder with --dir')
    expect(await refused('--format', 'csv')).toBe(
      '2 svc export: a CSV file holds one kind of record; name it with --collection; see svc export --help',
    )
    expect(await refused('--format', 'xml')).toBe(
      '2 svc export: --format: bad value "xml"; expected one of jsonl, csv; see svc export --help',
    )
    expect(await refused('--collection', 'things')).toStartWith(
      '2 svc export: --collection: bad value "things"; expected one of api_tokens, ',
    )
    await svc(folder.path, 'superuser', 'upsert', 'a@example.org', 'a long password')
    expect(await refused('-o', 'no/such/folder')).toStartWith(
      '1 Cannot write no/such/folder: there is no folder no/such; create it first',
    )
    expect(existsSync(join(folder.path, 'no'))).toBe(false)
  })
})

describe('mistakes of commands with data', () => {
  test('svc import of a file that is absent or a folder names it, and creates no database', async () => {
    using folder = temporaryFolder()
    const absent = await svc(folder.path, 'import', 'absent.jsonl')
    expect(absent).toMatchObject({
      out: '',
      status: 1,
      err: expect.stringContaining('Cannot read absent.jsonl: '),
    })
    expect(await svc(folder.path, 'import', '.')).toMatchObject({
      ...{ out: '', status: 1 },
      err: '. is a folder; name a file of JSON lines\n',
    })
    expect(existsSync(join(folder.path, 'svc_data'))).toBe(false)
  })

  test.each([
    [-1e308, 'users.qpu_seconds: Must be greater or equal than -9000000000000.'],
    [1e308, 'users.qpu_seconds: Must be less or equal than 9000000000000.'],
  ])('svc import of a balance of %p names the line', async (seconds, text) => {
    using folder = temporaryFolder()
    const file = write(folder.path, [
      { collection: 'users', email: 'a@example.org' },
      { collection: 'users', email: 'b@example.org', qpu_seconds: seconds },
    ])
    const { err, status } = await svc(folder.path, 'import', file)
    expect(status).toBe(1)
    expect(err.split('\n')[0]).toBe(`in.jsonl:2: ${text}`)
  })

  test('svc backup of a bare word is a wrong call and writes nothing', async () => {
    using folder = temporaryFolder()
    write(folder.path, [])
    await svc(folder.path, 'import', 'in.jsonl')
    expect(await svc(folder.path, 'backup', 'list')).toEqual({
      ...{ out: '', status: 2 },
      err: expect.stringContaining(
        '"list" is no command; to write a backup of that name, give it an ending or a folder: list.db or ./list',
      ),
    })
    expect(existsSync(join(folder.path, 'list'))).toBe(false)
    expect((await svc(folder.path, 'backup', './list')).status).toBe(0)
  })

  test('svc restore of a folder names it, not the disk', async () => {
    using folder = temporaryFolder()
    expect(await svc(folder.path, 'restore', '/etc')).toMatchObject({
      ...{ out: '', status: 3 },
      err: expect.stringContaining('/etc is a folder; name the file of a backup'),
    })
    expect((await svc(folder.path, 'backup', 'verify', '/dev/null')).err).toContain(
      '/dev/null is no regular file',
    )
  })
})
