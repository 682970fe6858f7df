import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test'
import { join } from 'node:path'
import { type Lab, openLab } from '../e2e/lab.ts'
import { openPython } from '../support/python/python.ts'

// Thousands of requests; a test that times out ends the server of the others too.
setDefaultTimeout(900_000)

const python = await openPython()

/** Cases for each operation, in addition to those that cover each keyword of its description. */
const EXAMPLES = 6
const CHECKS = [
  'not_a_server_error',
  'status_code_conformance',
  'content_type_conformance',
  'response_schema_conformance',
]

let lab: Lab

/** Runs schemathesis on every operation of the server's own description, with valid and invalid requests. */
async function fuzz(
  interpreter: string,
  name: string,
  token: string,
): Promise<{ status: number; out: string }> {
  const run = Bun.spawn(
    [
      ...[interpreter, '-m', 'schemathesis.cli', 'run', `${lab.url}/api/openapi.json`],
      ...['--checks', CHECKS.join(','), '--max-examples', String(EXAMPLES), '--seed', '17'],
      ...['--phases', 'examples,coverage,fuzzing', '--generation-database', 'none', '--continue-on-failure'],
      ...['--request-timeout', '60', '--no-color', '--warnings', 'off'],
      // The response of an open stream does not end.
      ...['--exclude-path', '/api/realtime'],
      ...(token ? ['--header', `Authorization: ${token}`] : []),
    ],
    // It stores crash files in the working directory.
    {
      cwd: join(lab.service.folder),
      env: { ...process.env, LANG: 'C.UTF-8', PYTHONUTF8: '1' },
      stdout: 'pipe',
      stderr: 'pipe',
    },
  )
  const [out, err, status] = await Promise.all([
    new Response(run.stdout).text(),
    new Response(run.stderr).text(),
    run.exited,
  ])
  if (!out.includes('Test cases:')) throw new Error(`${name}: schemathesis did not run: ${out}${err}`)
  return { status, out }
}

describe.skipIf(!python)('the description of the API', () => {
  beforeAll(async () => {
    lab = await openLab()
  })

  afterAll(() => lab.close())

  test.each(['guest', 'user', 'superuser'])(
    'is correct for any request of a %s, and nothing fails',
    async (who) => {
      const tokens: Record<string, string> = { guest: '', user: lab.user.token, superuser: lab.admin.token }
      const { status, out } = await fuzz(python ?? '', who, tokens[who] ?? '')
      // The failures are in the message.
      const failures = out.slice(out.indexOf('= FAILURES =')).slice(0, 20_000)
      if (status !== 0) throw new Error(`${failures}\n${lab.service.log.slice(-5_000)}`)
      expect(lab.service.log).not.toContain('"level":"error"')
    },
  )
})
