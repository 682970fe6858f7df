import { expect, setDefaultTimeout, test } from 'bun:test'
import { checkProgram } from '../../../src/qasm/index.ts'
import { openFileService } from '../../support/executable/file-service.ts'

setDefaultTimeout(120_000)

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

/** Each of these programs with the response to its dry run, found out here. */
const examples = (length: number) =>
  Object.entries(programs(length)).map(([name, circuit]) => {
    const problems = checkProgram(circuit).problems.map(({ code, message, line, column }) => {
      return { path: 'circuits.0.circuit', code, message, params: { line, column } }
    })
    return { name, circuit, expected: { accepted: problems.length === 0, problems } }
  })

// Before there are connections: the server closes those of a client that is busy for too long. The check of
// the largest of them takes a tenth of its time limit on an idle machine.
const LARGE = examples(1_000_000)
const LARGEST = examples(3_000_000)

const { service, user } = await openFileService()
await service.createQpu('kelvin')

const DRY_RUN = '/api/jobs?dry_run=true'

const bodyOf = (circuit: string) => ({ circuits: [{ circuit }], shots: 1 })

/** The response to a dry run of a program. */
async function dryRun(circuit: string, token = user.token) {
  const answer = await service.call('POST', DRY_RUN, { token, body: bodyOf(circuit) })
  expect(answer.status).toBe(200)
  return answer.body
}

/** A dry run of a program that is sent but for its last byte, which `end` sends. */
function unendedDryRun(circuit: string) {
  const bytes = new TextEncoder().encode(JSON.stringify(bodyOf(circuit)))
  const { promise: isEnded, resolve: end } = Promise.withResolvers<void>()
  const body = new ReadableStream({
    async start(controller) {
      controller.enqueue(bytes.subarray(0, -1))
      await isEnded
      controller.enqueue(bytes.subarray(-1))
      controller.close()
    },
  })
  const headers = { authorization: user.token, 'content-type': 'application/json' }
  const sent = fetch(service.url + DRY_RUN, { method: 'POST', headers, body, keepalive: false })
  return { said: sent.then((response) => response.json()), end }
}

test.each(LARGEST)(
  'others are served while one statement is checked: $name',
  async ({ circuit, expected }) => {
    const order: string[] = []
    const serve = async () => {
      expect((await service.call('GET', '/api/health')).status).toBe(200)
      order.push('another')
    }
    const { said, end } = unendedDryRun(circuit)
    for (let count = 0; count < 20; count += 1) await serve()
    order.splice(0)
    end()
    const checked = said.finally(() => order.push('checked'))
    for (let count = 0; count < 5; count += 1) await serve()
    expect(await checked).toMatchObject(expected)
    // Only the first of them can arrive before the check begins.
    expect(order).toEqual(['another', 'another', 'another', 'another', 'another', 'checked'])
  },
)

test('large programs of several users at once are checked as each of them alone', async () => {
  const other = await service.createUser(1_000, 'other@example.org')
  const runs = [user, other].flatMap(({ token }) =>
    LARGE.map(async ({ circuit, expected }) => ({ expected, said: await dryRun(circuit, token) })),
  )
  for (const { expected, said } of await Promise.all(runs)) expect(said).toMatchObject(expected)
})

test('the server ends in order while programs are checked and wait', async () => {
  const { expression } = programs(900_000)
  const sent = Array.from({ length: 12 }, () => dryRun(expression).catch(() => 'cut off'))
  for (let served = 0; served < 40; served += 1) await service.call('GET', '/api/health')
  expect(await service.stop()).toBe(0)
  await Promise.all(sent)
})
