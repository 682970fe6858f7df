import { afterEach, expect, spyOn, test } from 'bun:test'
import { createHash } from 'node:crypto'
import { accepted, examine } from '../../../../src/server/jobs/submission/examine.ts'
import { BELL } from '../../../support/server/job-lab.ts'
import { openTestServer, type TestServer } from '../../../support/server/server.ts'

/** Above the size of a body that is parsed on the event loop. */
const LARGE = 300 * 1024

/** Characters of the longest text that this thread, the event loop of the server, has parsed or encoded. */
function watchJson(): () => number {
  let longest = 0
  const note = (text: unknown) => {
    if (typeof text === 'string') longest = Math.max(longest, text.length)
  }
  const { parse, stringify } = JSON
  const spies = [
    spyOn(JSON, 'parse').mockImplementation((text, ...others) => {
      note(text)
      return parse(text, ...others)
    }),
    spyOn(JSON, 'stringify').mockImplementation((value: unknown) => {
      const text = stringify(value)
      note(text)
      return text
    }),
  ]
  stop = () => {
    for (const spy of spies) spy.mockRestore()
  }
  return () => longest
}

let stop = () => {}
afterEach(() => stop())

const HEAD = 'OPENQASM 3.0;\nqubit q;\n// '
const BODIES = {
  'a long program': { circuits: [`${HEAD}${'\u2603é'.repeat(LARGE / 2)}`] },
  'many parameters': {
    circuits: [
      {
        circuit: `OPENQASM 3.0; input array[float, 1000] a; qubit q;`,
        parameter_values: Array.from({ length: 200 }, () => Array(1_000).fill(1.5)),
      },
    ],
  },
  'many unknown fields': Object.fromEntries(
    Array.from({ length: 900 }, (_, at) => [`${'x'.repeat(400)}${at}`, at]),
  ),
}

async function send(server: TestServer, path: string, body: string, token: string, key = '') {
  const headers = {
    authorization: token,
    'content-type': 'application/json',
    ...(key && { 'idempotency-key': key }),
  }
  const response = await fetch(`${server.url}${path}`, { method: 'POST', headers, body })
  return { status: response.status, text: await response.text() }
}

test.each(Object.entries(BODIES))('the event loop neither parses nor encodes %s', async (_, body) => {
  await using server = await openTestServer({ settings: { submitRate: '0' } })
  await server.createQpu()
  const user = await server.createUser({ qpuSeconds: 100 })
  const submission = JSON.stringify(body)
  const record = JSON.stringify({ payload: body })
  expect(submission.length).toBeGreaterThan(LARGE)
  const longest = watchJson()
  const responses = [
    await send(server, '/api/jobs', submission, user.token),
    await send(server, '/api/jobs?dry_run=true', submission, user.token),
    await send(server, '/api/collections/quantum_jobs/records', record, user.token),
  ]
  const seen = longest()
  stop()
  expect(seen).toBeLessThan(LARGE / 4)
  expect(responses.map(({ status }) => Math.floor(status / 100))).not.toContain(5)
})

test('a large submission is stored, returned and repeated like a small one', async () => {
  await using server = await openTestServer({ settings: { submitRate: '0' } })
  const qpu = await server.createQpu('north')
  const user = await server.createUser({ qpuSeconds: 100 })
  const body = { ...BODIES['a long program'], qpu_target: 'north' }
  const payload = { circuits: [{ circuit: body.circuits[0] }], shots: 1_024, meas_level: 2, memory: false }
  const post = (value: object, key = '') => send(server, '/api/jobs', JSON.stringify(value), user.token, key)
  const [first, again] = [await post(body, 'one'), await post(body, 'one')]
  expect(JSON.parse(first.text)).toMatchObject({ status: 'pending', qpu_target: qpu.id, payload })
  expect(again.text).toBe(first.text)
  const other = await post({ ...body, shots: 2 }, 'one')
  expect(JSON.parse(other.text)).toMatchObject({ code: 'idempotency_key_reused' })
  const stored = await server.as(user).get(`/api/jobs/${JSON.parse(first.text).id}`)
  expect(stored.get('payload')).toMatchObject(payload)
  const path = '/api/collections/quantum_jobs/records'
  const { qpu_target, ...rest } = body
  const record = { payload: rest, qpu_target, user_id: user.id }
  const created = await send(server, path, JSON.stringify(record), user.token)
  expect(JSON.parse(created.text)).toMatchObject({ qpu_target: qpu.id, payload, user_id: user.id })
})

test('a large submission is refused like a small one, as a job and as a record', async () => {
  await using server = await openTestServer({ settings: { submitRate: '0' } })
  await server.createQpu()
  const user = await server.createUser({ qpuSeconds: 100 })
  const path = '/api/collections/quantum_jobs/records'
  for (const filler of [10, LARGE]) {
    const circuit = `OPENQASM 3.0;\nqubit q;\nnothing q;\n// ${'x'.repeat(filler)}`
    const refusal = async (body: object, to: string) => {
      const { text } = await send(server, to, JSON.stringify(body), user.token)
      const { status, code, data } = JSON.parse(text)
      return [status, code, Object.keys(data)]
    }
    expect([
      await refusal({ circuits: [circuit] }, '/api/jobs'),
      await refusal({ circuits: [circuit], shotz: 1 }, '/api/jobs'),
      await refusal({ payload: { circuits: [circuit] } }, path),
      await refusal({ payload: { circuits: [circuit] }, status: 'completed' }, path),
      await refusal({ payload: circuit }, path),
      await refusal([circuit], '/api/jobs'),
    ]).toEqual([
      [400, 'invalid', ['circuits.0.circuit']],
      [400, 'invalid', ['shotz']],
      [400, 'invalid', ['circuits.0.circuit']],
      [400, 'read_only_field', ['status']],
      [400, 'invalid', ['payload']],
      [400, 'invalid', []],
    ])
  }
  const job = await server.db.read((tx) => tx.one('SELECT 1 FROM quantum_jobs'))
  expect(job).toBeUndefined()
})

const sha256 = (text: string | Buffer) => createHash('sha256').update(text).digest()

function hashOf(...programs: string[]): string {
  const value = { circuits: programs.map((circuit) => ({ circuit })) }
  return accepted(examine({ body: { value }, isRecord: false, isKeyed: false, dts: [] }).outcome).programHash
}

test('the hash of a program is that of its file, and tells apart where several programs end', () => {
  expect(hashOf(BELL)).toBe(sha256(BELL).toString('base64url'))
  const sums = Buffer.concat([sha256(`${BELL}\n`), sha256(BELL)])
  expect(hashOf(`${BELL}\n`, BELL)).toBe(sha256(sums).toString('base64url'))
  expect(hashOf(`${BELL}\n`, BELL)).not.toBe(hashOf(BELL, `\n${BELL}`))
})
