import { expect, setDefaultTimeout, test } from 'bun:test'
import { checkProgram } from '../../../src/qasm/index.ts'
import { openFileService } from '../../support/executable/file-service.ts'

setDefaultTimeout(120_000)

const { service, user } = await openFileService()
await service.createQpu('kelvin')

const HEAD = 'OPENQASM 3.0; include "stdgates.inc"; qubit[4] q; bit[4] c; float v;\n'

/** Programs of so many characters, in one statement of the top level. */
function programs(length: number) {
  const fill = (line: string) => line.repeat(Math.floor(length / line.length))
  return {
    loop: `${HEAD}for int i in [0:3] { ${fill('v = sin(v); ')} }`,
    expression: `${HEAD}rz(${fill('1 + ')} 1) q[0];`,
    unended: `${HEAD}gate g a, b { ${fill('cx a, b; ')}`,
  }
}

/** Nearly the most that a job may have. */
const LARGEST = 9_900_000

/** The response to a dry run of a program. */
async function dryRun(circuit: string, token = user.token) {
  const body = { circuits: [{ circuit }], shots: 1 }
  const answer = await service.call('POST', '/api/jobs?dry_run=true', { token, body })
  expect(answer.status).toBe(200)
  return answer.body
}

/** The same, found out here. */
function expected(circuit: string) {
  const problems = checkProgram(circuit).problems.map(({ code, message, line, column }) => {
    return { path: 'circuits.0.circuit', code, message, params: { line, column } }
  })
  return { accepted: problems.length === 0, problems }
}

test.each(Object.entries(programs(LARGEST)))(
  'others are served while one statement is checked: %s',
  async (_, circuit) => {
    let isChecked = false
    const checked = dryRun(circuit).finally(() => {
      isChecked = true
    })
    let served = 0
    while (!isChecked) {
      expect((await service.call('GET', '/api/health')).status).toBe(200)
      served += 1
    }
    expect(await checked).toMatchObject(expected(circuit))
    // Some 3 when one has to wait for the other, hundreds else.
    expect(served).toBeGreaterThan(40)
  },
)

test('large programs of several users at once are checked as each of them alone', async () => {
  const other = await service.createUser(1_000, 'other@example.org')
  const runs = [user, other].flatMap(({ token }) =>
    Object.values(programs(2_000_000)).map(async (circuit) => ({
      circuit,
      said: await dryRun(circuit, token),
    })),
  )
  for (const { circuit, said } of await Promise.all(runs)) expect(said).toMatchObject(expected(circuit))
})

test('the server ends in order while programs are checked and wait', async () => {
  const { expression } = programs(900_000)
  const sent = Array.from({ length: 12 }, () => dryRun(expression).catch(() => 'cut off'))
  for (let served = 0; served < 40; served += 1) await service.call('GET', '/api/health')
  expect(await service.stop()).toBe(0)
  await Promise.all(sent)
})
