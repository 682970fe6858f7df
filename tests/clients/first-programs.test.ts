import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test'
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { environmentOf, FIRST_PROGRAMS } from '../../ui/jobs/first-programs.ts'
import { hasGo, openGoModule } from '../support/clients/go.ts'
import { installPackedClient, run } from '../support/clients/packed-client.ts'
import { openFileService } from '../support/executable/file-service.ts'
import { SVC } from '../support/executable/service.ts'
import { openClientPython } from '../support/python/python.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

setDefaultTimeout(300_000)

// The programs that the dashboard shows beside a new API token, run as they are shown.
const { service, user } = await openFileService()
const temporary = temporaryFolder()
const python = await openClientPython()
let app = ''
let token = ''
let goModule: Awaited<ReturnType<typeof openGoModule>> | undefined

beforeAll(async () => {
  const qpu = await service.createQpu('kelvin')
  service.startDriver('kelvin', qpu, 'aer_sim')
  await service.untilOnline('kelvin')
  const made = await service.call<{ token: string }>('POST', '/api/tokens', {
    ...{ token: user.token, body: { name: 'first', scope: 'submit' } },
  })
  token = made.body.token
  app = await installPackedClient(temporary.path)
  mkdirSync(join(app, 'bin'))
  symlinkSync(SVC, join(app, 'bin/svc'))
  if (hasGo) goModule = await openGoModule(temporary.path)
})

afterAll(() => temporary[Symbol.dispose]())

/** The shell script that runs a program. */
function scriptOf(id: string, code: string): string {
  if (id === 'python') {
    writeFileSync(join(app, 'first.py'), code)
    return `PYTHONPATH=${join(import.meta.dir, '../../clients/python/src')} ${python} first.py`
  }
  if (id === 'javascript') {
    writeFileSync(join(app, 'first.mjs'), code)
    return 'node first.mjs'
  }
  if (id === 'go') {
    const { app, env } = goModule ?? { app: '', env: {} }
    writeFileSync(join(app, 'first.go'), code)
    const variables = Object.entries(env).map(([name, value]) => `${name}=${value}`)
    return `cd ${app}; ${variables.join(' ')} go run .`
  }
  return code
}

// Qiskit is a large environment of its own, that of tests/clients/python/adapters.test.ts.
const PROGRAMS = FIRST_PROGRAMS.filter(({ id }) => id !== 'qiskit')

describe('the first program', () => {
  test.each(PROGRAMS.map(({ id, code }) => [id, code] as const))('runs in %s', async (id, code) => {
    if (id === 'python' && python === undefined) return
    if (id === 'go' && !hasGo) return
    const script = `${environmentOf(service.url, token)}\nPATH=$PWD/bin:$PATH\n${scriptOf(id, code)}`
    const out = await run(['bash', '-euc', script], app)
    for (const outcome of ['00', '11']) expect(out).toMatch(new RegExp(`${outcome}["']?:? *\\d+`))
  })
})
