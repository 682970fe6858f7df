import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { BELL, runSvc, Service } from '../../support/executable/service.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'
import { until } from '../../support/until.ts'

const folder = temporaryFolder()
const file = (name: string) => join(folder.path, name)
const verify = (args: string[], env: Record<string, string> = {}) =>
  runSvc(['verify', ...args], { cwd: folder.path, env })
let fingerprint = ''
let job = ''

// A job on a real driver; then the server is gone, and only what a user has saved is left.
beforeAll(async () => {
  await using service = await Service.install(folder.path)
  await service.start()
  const { token } = await service.createUser(1_000)
  const qpu = await service.createQpu('bell')
  fingerprint = qpu.fingerprint
  const driver = service.startDriver('bell', qpu, 'aer_sim')
  try {
    const body = { circuits: [{ circuit: BELL }], qpu_target: 'bell' }
    job = (await service.call<{ id: string }>('POST', '/api/jobs', { token, body })).body.id
    const read = () =>
      service.call<{ status: string; results: unknown }>('GET', `/api/jobs/${job}`, { token })
    await until('the job to end', async () => (await read()).body.status === 'completed', {
      timeoutMs: 60_000,
    })
    const { body: ended } = await read()
    writeFileSync(file('job.json'), JSON.stringify(ended, undefined, 2))
    writeFileSync(file('result.json'), JSON.stringify(ended.results))
    const headers = { authorization: token }
    const receipt = await fetch(`${service.url}/api/jobs/${job}/receipt`, { headers })
    writeFileSync(file('receipt.json'), await receipt.text())
    writeFileSync(file('ca.pem'), await (await fetch(`${service.url}/api/pub/root-ca.pem`)).text())
  } finally {
    driver.kill()
    await driver.exited
  }
})
afterAll(() => folder[Symbol.dispose]())

describe('svc verify of a receipt', () => {
  test('checks signature, root CA and results without the server, and says what it has checked', async () => {
    for (const ca of [file('ca.pem'), fingerprint]) {
      const { status, out, err } = await verify(['receipt.json', '--ca', ca, '--result', 'result.json'])
      expect([err, status]).toEqual(['', 0])
      expect(out).toContain(`${job}, completed`)
      expect(out).toMatch(/Signature and document +OK\n/)
      expect(out).toMatch(new RegExp(`Certificate by root CA +OK: ${fingerprint}`))
      expect(out).toMatch(/Results +OK: .*result\.json\n/)
    }
  })

  test('says that results were not checked', async () => {
    const { status, out } = await verify(['receipt.json', '--ca', fingerprint])
    expect([status, out]).toEqual([0, expect.stringMatching(/Results +not checked; .*--result\n/)])
  })

  test('--json prints the document: provenance, charge and programs', async () => {
    const { out } = await verify(['receipt.json', '--ca', fingerprint, '--json'])
    expect(JSON.parse(out)).toMatchObject({
      ca_fingerprint: fingerprint,
      result: null,
      receipt: {
        payload: { circuits: [{ circuit: BELL }] },
        job: {
          id: job,
          attempts: [{ provenance: { device: { name: 'aer_sim' } } }],
          charged_seconds: expect.any(Number),
        },
      },
    })
  })

  test('the whole job, written in another form, has the results too; others are refused', async () => {
    expect((await verify(['receipt.json', '--ca', fingerprint, '--result', 'job.json'])).status).toBe(0)
    const results = JSON.parse(readFileSync(file('result.json'), 'utf8'))
    results.shots += 1
    writeFileSync(file('other.json'), JSON.stringify(results))
    const { status, err } = await verify(['receipt.json', '--ca', fingerprint, '--result', 'other.json'])
    expect([status, err]).toEqual([1, expect.stringContaining('these are not the results of the receipt')])
  })

  test('a file that is nested more deeply than results is refused as such, without reading on', async () => {
    for (const deep of ['['.repeat(3_000_000), `{"a":"]\\"]",${'"b":['.repeat(200)}`]) {
      writeFileSync(file('deep.json'), deep)
      const { status, err } = await verify(['receipt.json', '--ca', fingerprint, '--result', 'deep.json'])
      expect([status, err]).toEqual([1, expect.stringContaining('nested deeper than 100 levels')])
    }
  })

  test('trusts the root CA of the saved account, and no other one', async () => {
    const account = (pin: string) => {
      const profiles = { lab: { address: 'https://svc.lab', ca_fingerprint: pin } }
      writeFileSync(file('client.json'), JSON.stringify({ profiles }), { mode: 0o600 })
    }
    const env = { SVC_CLIENT_CONFIG: file('client.json') }
    account(fingerprint)
    const good = await verify(['receipt.json', '--profile', 'lab'], env)
    expect([good.status, good.out]).toEqual([0, expect.stringContaining('(profile lab)')])
    account('0'.repeat(64))
    const foreign = await verify(['receipt.json'], { ...env, SVC_PROFILE: 'lab' })
    expect([foreign.status, foreign.err]).toEqual([
      1,
      expect.stringContaining(`by the root CA ${fingerprint}`),
    ])
    const nobody = await verify(['receipt.json'])
    expect([nobody.status, nobody.err]).toEqual([2, expect.stringContaining('no root CA to trust')])
  })

  test('a changed byte is refused, wherever it is', async () => {
    const bytes = readFileSync(file('receipt.json'))
    for (let at = 0; at < bytes.length; at += Math.ceil(bytes.length / 12)) {
      const changed = Buffer.from(bytes)
      changed[at] = (changed[at] ?? 0) ^ 1
      writeFileSync(file('changed.json'), changed)
      const { status, out } = await verify(['changed.json', '--ca', fingerprint])
      expect([at, status, out]).toEqual([at, 1, ''])
    }
  })

  test('flags of releases and receipts are not mixed', async () => {
    const key = await verify(['receipt.json', '--key', 'RWT'])
    expect([key.status, key.err]).toEqual([2, expect.stringContaining('--key is for releases')])
    writeFileSync(file('program.json'), '{"name":"svc"}')
    const ca = await verify(['program.json', '--ca', fingerprint])
    expect([ca.status, ca.err]).toEqual([2, expect.stringContaining('--ca is for receipts')])
  })
})
