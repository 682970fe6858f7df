import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test'
import { existsSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { openFileService } from '../../support/executable/file-service.ts'
import { runSvc, SVC } from '../../support/executable/service.ts'
import { freePort } from '../../support/free-port.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'

setDefaultTimeout(60_000)

const { service } = await openFileService()
const qpu = await service.createQpu('kelvin')
service.startDriver('kelvin', qpu, 'aer_sim')
await service.untilOnline('kelvin')
await service.createQpu('silent')
const folder = temporaryFolder()
const accounts = join(folder.path, 'client.json')
const EMAIL = 'researcher@lab.example'
const PASSWORD = 'correct-horse-1'

const ROTATION = `OPENQASM 3.0;
include "stdgates.inc";
input float theta;
qubit q;
bit c;
rx(theta) q;
c = measure q;
`

beforeAll(async () => {
  await service.call('POST', '/api/collections/users/records', {
    ...{ token: await service.admin() },
    body: { email: EMAIL, password: PASSWORD, passwordConfirm: PASSWORD, qpu_seconds: 100 },
  })
  writeFileSync(join(folder.path, 'rotation.qasm'), ROTATION)
  writeFileSync(join(folder.path, 'bad.qasm'), 'OPENQASM 3.0; qubit q; hh q;')
})

afterAll(() => folder[Symbol.dispose]())

const run = (args: string[], { input = '', env = {} } = {}) =>
  runSvc(args, { cwd: folder.path, env: { SVC_CLIENT_CONFIG: accounts, ...env }, stdin: input })

const json = async (args: string[]) => JSON.parse((await run([...args, '--json'])).out)

describe('without an account', () => {
  test('every command says how to sign in', async () => {
    for (const args of [['jobs'], ['qpus'], ['submit', 'rotation.qasm'], ['result', 'x']]) {
      const { err, status } = await run(args)
      expect([args, err, status]).toEqual([
        args,
        `svc ${args[0]}: no server; run svc login ADDRESS or set SVC_ADDR; see svc ${args[0]} --help\n`,
        2,
      ])
    }
    const { err, status } = await run(['jobs'], { env: { SVC_ADDR: service.url } })
    expect([err, status]).toEqual([
      'svc jobs: not signed in; run svc login ADDRESS or set SVC_API_TOKEN; see svc jobs --help\n',
      2,
    ])
    const refused = await run(['jobs'], { env: { SVC_ADDR: service.url, SVC_API_TOKEN: 'svc_gone' } })
    expect(refused.err).toStartWith('svc jobs: the API token is invalid, expired or deleted; run svc login')
    expect(refused.status).toBe(2)
  })

  test('no server, no URL, wrong password and a profile that is not there are told apart', async () => {
    const dead = `http://127.0.0.1:${await freePort()}`
    const absent = await run(['login', dead, '--email', EMAIL], { input: 'x\n' })
    expect([absent.err, absent.status]).toEqual([`No connection: ${dead}\n`, 69])
    expect((await run(['login', 'svc.lab'])).err).toContain('The address "svc.lab" is no URL')
    const wrong = await run(['login', service.url, '--email', EMAIL], { input: 'wrong\n' })
    expect([wrong.err, wrong.status]).toEqual([
      'Failed to authenticate; superusers sign in with --superuser\n',
      1,
    ])
    expect(existsSync(accounts)).toBe(false)
    expect((await run(['jobs', '--profile', 'lab2'])).err).toContain('No profile "lab2"')
  })
})

describe('svc login', () => {
  test('saves a token that only its owner can read, and replaces it', async () => {
    const first = await run(['login', `${service.url}`], { input: `${EMAIL}\n${PASSWORD}\n` })
    expect([first.err, first.status]).toEqual(['', 0])
    expect(first.out).toBe(
      `Signed in as ${EMAIL} at ${service.url}; saved as profile default in ${accounts}\n`,
    )
    expect(statSync(accounts).mode & 0o777).toBe(0o600)
    const token = JSON.parse(readFileSync(accounts, 'utf8')).profiles.default.api_token
    await run(['login', service.url, '--email', EMAIL], { input: `${PASSWORD}\n` })
    const renewed = JSON.parse(readFileSync(accounts, 'utf8')).profiles.default.api_token
    expect(renewed).not.toBe(token)
    expect((await service.call('GET', '/api/me', { token })).status).toBe(401)
    expect((await service.call('GET', '/api/me', { token: renewed })).status).toBe(200)
  })

  test('the password is not shown on a terminal', async () => {
    const login = Bun.spawn(
      ['script', '-qec', `${SVC} login ${service.url} --email ${EMAIL} --profile terminal`, '/dev/null'],
      {
        env: { PATH: process.env['PATH'] ?? '', SVC_CLIENT_CONFIG: accounts, TERM: 'xterm' },
        stdio: ['pipe', 'pipe', 'pipe'],
      },
    )
    let shown = ''
    const decoder = new TextDecoder()
    for await (const chunk of login.stdout) {
      shown += decoder.decode(chunk)
      if (shown.endsWith('Password: ')) {
        login.stdin.write(`${PASSWORD}\r`)
        await login.stdin.flush()
      }
    }
    expect(shown).toContain('saved as profile terminal')
    expect(shown).not.toContain(PASSWORD)
    expect((await run(['logout', '--profile', 'terminal'])).status).toBe(0)
  })

  test('an API token is accepted instead of a password', async () => {
    const token = JSON.parse(readFileSync(accounts, 'utf8')).profiles.default.api_token
    const piped = await run(['login', service.url, '--with-token', '--profile', 'token'], {
      input: `${token}\n`,
    })
    expect([piped.err, piped.status]).toEqual(['', 0])
    expect((await run(['jobs', '--profile', 'token'])).status).toBe(0)
  })
})

describe('svc login --superuser', () => {
  const as = ['--profile', 'operator']
  const signIn = (more: string[] = []) =>
    run(['login', service.url, '--superuser', '--email', 'admin@example.org', ...as, ...more], {
      input: 'a long password\n',
    })

  test('saves a token with which the commands of superusers work, and nothing else of them', async () => {
    expect((await signIn()).err).toBe('')
    const token = JSON.parse(readFileSync(accounts, 'utf8')).profiles.operator.api_token
    const me = await service.call<{ role: string; credentials: { scope: string; expires_at: string } }>(
      ...(['GET', '/api/me', { token }] as const),
    )
    expect([me.body.role, me.body.credentials.scope]).toEqual(['superuser', 'operate'])
    expect(Date.parse(me.body.credentials.expires_at) - Date.now()).toBeWithin(
      29 * 86_400_000,
      30 * 86_400_001,
    )
    const done = async (...args: string[]) => {
      const { out, err, status } = await run([...args, ...as])
      return status === 0 ? out : err
    }
    const job = (await json(['submit', 'rotation.qasm', '--param', 'theta=1', '--qpu', 'silent'])).id
    expect(await done('job', 'hold', job, '--reason', 'a test')).toBe(`Job ${job} is held\n`)
    expect((await json(['job', job])).waiting.code).toBe('held')
    expect(await done('job', 'release', job)).toBe(`Job ${job} is released\n`)
    expect(await done('job', 'first', job)).toBe(`Job ${job} runs next\n`)
    expect(await done('qpu', 'drain', 'kelvin')).toBe('QPU kelvin drains: no further job starts\n')
    expect(await done('job', 'move', job, 'kelvin', '--to-simulator')).toBe(
      `Job ${job} waits for QPU kelvin\n`,
    )
    expect(await done('qpu', 'drain', 'kelvin', '--off')).toBe('QPU kelvin no longer drains\n')
    for (const [args, said] of [
      [['maintenance', 'silent', '--reason', 'x'], 'QPU silent is in maintenance\n'],
      [['maintenance', 'silent', '--off'], 'QPU silent is no longer in maintenance; now: offline\n'],
      [['enable', 'silent', '--off'], 'QPU silent is disabled\n'],
      [['maintenance', 'silent', '--reason', 'warm'], 'QPU silent is in maintenance\n'],
      [['enable', 'silent'], 'QPU silent is enabled; now: maintenance: warm\n'],
      [['maintenance', 'silent', '--off'], 'QPU silent is no longer in maintenance; now: offline\n'],
      [['drain', 'nobody'], 'there is no QPU nobody; svc qpus lists them\n'],
    ] as const) {
      expect(await done('qpu', ...args)).toBe(said)
    }
    expect(await done('calibration', 'resume', 'abcdefghijklmno')).toBe(
      'there is no calibration request abcdefghijklmno\n',
    )
    expect((await service.call('GET', '/api/op/config', { token })).status).toBe(403)
    expect((await service.call('POST', '/api/tokens', { token, body: {} })).status).toBe(403)
    // The message names the account that a command takes.
    expect((await run(['job', 'hold', job])).err).toContain('run svc login ADDRESS --superuser')
    expect((await run(['logout', ...as])).status).toBe(0)
    expect((await service.call('GET', '/api/me', { token })).status).toBe(401)
  })

  test('takes a token of a superuser only, and no flag that says what the token says', async () => {
    const withToken = ['login', service.url, '--with-token']
    const token = JSON.parse(readFileSync(accounts, 'utf8')).profiles.default.api_token
    const refused = await run([...withToken, '--superuser', ...as], { input: `${token}\n` })
    expect([refused.status, refused.err]).toEqual([
      2,
      'svc login: the API token is that of a user; --superuser takes one of a superuser; see svc login --help\n',
    ])
    expect((await run([...withToken, '--scope', 'read'])).err).toContain('--with-token excludes')
  })

  test('a token of the scope operate lives 30 days at most, and no user has one', async () => {
    const create = async (token: string, body: object) =>
      service.call<{ expires_at: string }>('POST', '/api/tokens', {
        token,
        body: { scope: 'operate', ...body },
      })
    const token = await service.admin()
    expect((await create(token, { expires_at: '2099-01-01 00:00:00.000Z' })).status).toBe(400)
    const user = JSON.parse(readFileSync(accounts, 'utf8')).profiles.default.api_token
    expect((await create(user, {})).status).toBe(400)
    expect((await signIn(['--scope', 'read'])).err).toContain('--superuser and --scope exclude each other')
  })
})

describe('jobs', () => {
  test('a program is submitted, awaited and its counts are printed', async () => {
    const args = ['submit', 'rotation.qasm', '--param', 'theta=3.141592653589793', '--shots', '100', '--wait']
    const { out, err, status } = await run([...args, '--name', 'flip', '--tag', 'demo'])
    expect(out).toBe(`  1    100  ${'█'.repeat(40)}\n`)
    expect(err).toMatch(/^Submitted job [0-9a-z]{15}\n$/)
    expect(status).toBe(0)
    const [job] = await json(['jobs', '--tag', 'demo'])
    expect([job.name, job.status, job.shots]).toEqual(['flip', 'completed', 100])
    expect((await run(['jobs'])).out).toMatch(
      /^JOB +STATUS +SUBMITTED +QPU +SHOTS +NAME\n.* completed .* kelvin +100 +flip\n/,
    )
    expect((await run(['job', job.id])).out).toMatch(/^State +completed$/m)
    expect((await json(['result', job.id])).counts).toEqual({ '1': 100 })
  })

  test('standard input is a program, and several files are circuits of one job', async () => {
    const piped = await run(['submit', '-', '--param', '0', '--wait', '--json'], { input: ROTATION })
    expect(JSON.parse(piped.out).results.counts).toEqual({ '0': 1024 })
    const both = await run(['submit', 'rotation.qasm', 'rotation.qasm', '--param', '0', '--wait'])
    expect(both.out).toMatch(/^Circuit 0 rotation.qasm:\n {2}0 .*\nCircuit 1 rotation.qasm:\n {2}0 /)
  })

  test('the results of circuits that ended before their job failed are printed on request', async () => {
    const helium = await service.createQpu('helium')
    // The first circuit ends after 1 s, the second one not in time.
    service.startDriver('helium', helium, 'mock', ['latency=2', 'job_timeout=1.5'])
    await service.untilOnline('helium')
    writeFileSync(join(folder.path, 'flip.qasm'), 'OPENQASM 3.0; qubit q; bit c; x q; c = measure q;')
    const files = ['flip.qasm', 'flip.qasm']
    const { id, status } = await json(['submit', ...files, '--qpu', 'helium', '--shots', '20', '--wait'])
    expect(status).toBe('failed')
    const { out } = await run(['result', '--partial', id])
    expect(out).toStartWith('Incomplete: results of 1 circuit; the job has done 50 %\nCircuit 0')
    expect(out).toContain('\n  1     20  ')
    const found = await json(['result', '--partial', id])
    expect(found).toMatchObject({ complete: false, results: [{ index: 0, result: { counts: { '1': 20 } } }] })
  })

  test('a key makes one job, and svc resume finds it', async () => {
    const submit = () =>
      json(['submit', 'rotation.qasm', '--param', '0', '--qpu', 'silent', '--key', 'run/7'])
    const { id } = await submit()
    expect((await submit()).id).toBe(id)
    expect((await run(['resume', 'run/7'])).out).toStartWith(`Job ${id} (pending: `)
    expect(await run(['resume', 'other'])).toMatchObject({
      status: 1,
      err: expect.stringContaining('no job was submitted with this key within 24 hours'),
    })
  })

  test('a submission to a QPU that is closed says why, since and until when it waits', async () => {
    const token = await service.admin()
    const { id } = (await service.call<{ id: string }>('GET', '/api/qpus/silent')).body
    const switched = (path: string, body: object) =>
      service.call('POST', `/api/op/qpu/${path}`, { token, body: { id, ...body } })
    const TIME = String.raw`\d{4}-\d\d-\d\d \d\d:\d\d:\d\d`
    const submit = async () => (await run(['submit', 'rotation.qasm', '--param', '0', '--qpu', 'silent'])).out
    const says = (why: string) =>
      new RegExp(`^Submitted job \\w+ \\(pending: ${why}, position \\d+\\); its result`)
    expect(await submit()).toMatch(says(`silent is not connected, since ${TIME}`))
    await switched('drain', { drain: true, reason: 'cooling down' })
    const submitted = await submit()
    expect(submitted).toMatch(says(`silent is draining: cooling down, since ${TIME}`))
    await switched('maintenance', { maintenance: true, reason: 'new wiring', until: '2099-01-01' })
    const job = submitted.split(' ')[2] ?? ''
    expect((await run(['job', job])).out).toMatch(
      new RegExp(
        `pending: silent is in maintenance: new wiring, since ${TIME}, until 2099-01-01 ${TIME.slice(-14)}`,
      ),
    )
    await switched('maintenance', { maintenance: false })
    await switched('drain', { drain: false })
    expect(await submit()).toMatch(says(`silent is not connected, since ${TIME}`))
  })

  test('what a dry run warns of is printed when the job is submitted, beside JSON too', async () => {
    writeFileSync(join(folder.path, 'unmeasured.qasm'), ROTATION.replace('c = measure q;', ''))
    const args = ['submit', 'unmeasured.qasm', '--qpu', 'silent', '--param', 'theta=1', '--json']
    const { out, err, status } = await run(args)
    expect([err, status]).toEqual([expect.stringMatching(/^Warning: .*measure.*\n$/i), 0])
    expect((await run(['cancel', JSON.parse(out).id])).status).toBe(0)
  })

  test('problems name file, place and remedy, before anything is submitted', async () => {
    const before = (await json(['jobs'])).length
    const place = [
      'bad.qasm:1:24: There is no gate "hh": define it first; did you mean "h" or "ch"?',
      '  OPENQASM 3.0; qubit q; hh q;',
      '                         ^',
    ]
    for (const args of [[], ['--check'], ['--wait']]) {
      const { err, status } = await run(['submit', 'bad.qasm', ...args])
      expect([args, err, status]).toEqual([args, ['The job is not accepted:', ...place, ''].join('\n'), 1])
    }
    const piped = await run(['submit', 'rotation.qasm', '-', '--check'], { input: 'qubit q;\n\thh q;' })
    expect(piped.err).toContain('\nstandard input:2:2: There is no gate "hh"')
    expect(piped.err).toContain('\n   hh q;\n   ^\n')
    expect((await run(['submit', 'rotation.qasm', '--param', '0', '--qpu', 'absent'])).err).toContain(
      '\n--qpu: There is no QPU absent',
    )
    expect((await run(['submit', 'rotation.qasm', '--check', '--param', '1'])).out).toMatch(
      /^Accepted: 1 execution on 1 qubit\nExpected: 1 to 20 s of QPU time, charge 1 to 20 s, start \S.* \(by an assumption: /,
    )
    expect((await run(['submit', 'absent.qasm'])).err).toStartWith('cannot read absent.qasm: ')
    expect((await run(['submit'])).err).toBe('svc submit: missing FILE; see svc submit --help\n')
    expect((await run(['submit', 'rotation.qasm', '--check', '--wait'])).err).toStartWith(
      'svc submit: --check submits nothing; leave out --wait',
    )
    expect((await run(['submit', 'rotation.qasm', '--timeout', '5s'])).err).toStartWith(
      'svc submit: --timeout needs --wait',
    )
    expect((await json(['jobs'])).length).toBe(before)
  })

  test('Ctrl+C and --timeout end the wait, not the job; a cancelled job has a status of its own', async () => {
    const waiting = Bun.spawn([SVC, 'submit', 'rotation.qasm', '--param', '0', '--qpu', 'silent', '--wait'], {
      cwd: folder.path,
      env: { SVC_CLIENT_CONFIG: accounts },
      stdio: ['ignore', 'ignore', 'pipe'],
    })
    const reader = waiting.stderr.getReader()
    const { value } = await reader.read()
    const id = /job ([0-9a-z]{15})/.exec(new TextDecoder().decode(value))?.[1] ?? ''
    expect((await json(['job', id])).status).toBe('pending')
    waiting.kill('SIGINT')
    let rest = ''
    for (let next = await reader.read(); !next.done; next = await reader.read())
      rest += new TextDecoder().decode(next.value)
    expect([rest, await waiting.exited]).toEqual([
      `Stopped waiting; job ${id} goes on; its result: svc result ${id}\n`,
      130,
    ])
    const timedOut = await run(['result', id, '--timeout', '1s'])
    expect([timedOut.err, timedOut.status]).toEqual([
      `Not ended within 1 s; job ${id} goes on; its result: svc result ${id}\n`,
      124,
    ])
    expect((await run(['job', id])).out).toMatch(/^State +pending: /m)
    const cancelled = await run(['cancel', id, 'nothing'])
    expect([cancelled.out, cancelled.err, cancelled.status]).toEqual([
      `Cancelled job ${id}\n`,
      'Job nothing was not cancelled: there is no job nothing among yours; svc jobs lists them\n',
      1,
    ])
    const result = await run(['result', id])
    expect([result.err, result.status]).toEqual([`Job ${id} was cancelled\n`, 5])
  })

  test('a result that was recalled after its end has a warning, beside JSON too', async () => {
    const submitted = ['submit', 'rotation.qasm', '--param', '0', '--qpu', 'kelvin', '--json']
    const { id, started_at: from } = await json([...submitted, '--wait'])
    expect((await run(['result', id])).err).toBe('')
    const to = new Date().toISOString()
    const recall = { qpu: 'kelvin', from, to, reason: 'the fridge was warm' }
    const made = await service.call('POST', '/api/op/recalls', { token: await service.admin(), body: recall })
    expect(made.status).toBe(201)
    for (const args of [[], ['--json']])
      expect(await run(['result', id, ...args])).toMatchObject({
        ...{ err: 'Warning: the result was recalled: the fridge was warm\n', status: 0 },
      })
    expect((await run(['job', id])).out).toMatch(/^Recalled +the fridge was warm$/m)
    const waiting = [...submitted.slice(0, 4), '--qpu', 'silent', '--json', '--give-up-after', '2h']
    const state = (await run(['job', (await json(waiting)).id])).out
    expect(state).toMatch(/^State +pending: .*, fails if it still waits at \d{4}-/m)
  })

  test('QPUs are listed with state and queue', async () => {
    const { out } = await run(['qpus'])
    expect(out).toMatch(/^QPU +QUBITS +STATE +QUEUE +NEW JOB STARTS +CALIBRATED\n/)
    expect(out).toMatch(/^kelvin +\d+ +online +0 +now/m)
  })
})

test('svc logout deletes the token on the server too', async () => {
  const token = JSON.parse(readFileSync(accounts, 'utf8')).profiles.default.api_token
  const { out, status } = await run(['logout'])
  expect([out, status]).toEqual([`Removed profile default from ${accounts}\n`, 0])
  expect((await service.call('GET', '/api/me', { token })).status).toBe(401)
  expect((await run(['logout'])).err).toContain('No profile "default"')
})

test('of several addresses the next is used when one does not respond, also to sign out', async () => {
  const list = `http://127.0.0.1:${await freePort()},${service.url}`
  const login = await run(['login', list, '--email', EMAIL, '--profile', 'both'], { input: `${PASSWORD}\n` })
  expect([login.err, login.status]).toEqual(['', 0])
  const token = JSON.parse(readFileSync(accounts, 'utf8')).profiles.both.api_token
  expect((await run(['qpus', '--profile', 'both'])).out).toContain('kelvin')
  const logout = await run(['logout', '--profile', 'both'])
  expect([logout.err, logout.status]).toEqual(['', 0])
  expect((await service.call('GET', '/api/me', { token })).status).toBe(401)
})
