import { expect, test } from 'bun:test'
import { MIB, toTimestamp } from '../../../src/base/index.ts'
import { quantumJobs } from '../../../src/db/store/jobs/index.ts'
import { ended } from '../../support/ended-job.ts'
import { BELL } from '../../support/server/job-lab.ts'
import { openTestServer } from '../../support/server/server.ts'

test('lists and counts of jobs refuse unknown parameters, which would select everything', async () => {
  await using server = await openTestServer()
  const user = server.as(await server.createUser())
  for (const path of ['/api/jobs', '/api/jobs/count']) {
    const refused = await user.get(`${path}?stauts=failed`)
    expect(refused.status).toBe(400)
    expect(Object.keys(Object(refused.get('data')))).toEqual(['stauts'])
    expect((await user.get(`${path}?status=failed&fields=id`)).status).toBe(200)
  }
  expect((await user.get('/api/jobs?skip=0&limit=5&sort=-created&tag=a&text=b')).status).toBe(200)
})

test('what is omitted is left out of a job and of lists, and the rest arrives as before', async () => {
  await using server = await openTestServer()
  await server.createQpu()
  const user = server.as(await server.createUser({ qpuSeconds: 100 }))
  const made = await user.call('POST', '/api/jobs', { circuit: BELL }, { 'idempotency-key': 'mine' })
  const id = made.text('id')
  const results = { error: 'a pump stopped' }
  const finished_at = toTimestamp(Date.now())
  const failure = { status: 'failed', error_code: 'pump', finished_at, results } as const
  await server.db.write('fail', (tx) => tx.update(quantumJobs, id, failure))
  const partsOf = (path: string) => user.get(path).then(({ body }) => Object([body].flat()[0]))
  for (const path of ['/api/jobs', `/api/jobs/${id}`, '/api/jobs/by-key/mine']) {
    const whole = await partsOf(path)
    expect(whole).toMatchObject({ id, results, error: { code: 'pump', message: 'a pump stopped' } })
    for (const omit of ['payload', 'payload,results', 'results,error,shots']) {
      const left = Object.entries(whole).filter(([name]) => !omit.split(',').includes(name))
      expect(await partsOf(`${path}?omit=${omit}`)).toEqual(Object.fromEntries(left))
    }
    expect(await partsOf(`${path}?omit=results&fields=id,results,error`)).toEqual({ id, error: whole.error })
    const refused = await user.get(`${path}?omit=payload,resluts`)
    expect([refused.status, JSON.stringify(refused.get('data'))]).toEqual([
      400,
      expect.stringContaining('There is no field \\"resluts\\" to leave out; expected some of '),
    ])
  }
})

test('results that a list leaves out are read of failed jobs only, and those of the others do not count', async () => {
  await using server = await openTestServer()
  const owner = await server.createUser()
  const user_id = owner.id
  const megabytes = 'x'.repeat(3 * MIB)
  const error = 'a pump stopped '.repeat(10_000)
  await server.db.write('seed', (tx) => {
    const job = (results: object, failure = {}) =>
      tx.insert(quantumJobs, { user_id, payload: { megabytes }, results, ...ended(), ...failure })
    for (let at = 0; at < 3; at += 1) job({ megabytes })
    job({ error }, { status: 'failed', error_code: 'pump' })
  })
  const failed = { status: 'failed', error: { code: 'pump', message: error } }
  const ok = { status: 'cancelled', error: null }
  const wanted = [failed, ok, ok, ok]
  const root = server.as(server.superuser)
  const list = '/api/collections/quantum_jobs/records?perPage=100&sort=-created,-id'
  for (const [client, path] of [
    [server.as(owner), '/api/jobs?omit=payload,results'],
    [server.as(owner), '/api/jobs?omit=payload,results&sort=-updated'],
    [server.as(owner), '/api/jobs?fields=status,error'],
    [root, `${list}&fields=status,error`],
  ] as const) {
    const { status, body } = await client.get(path)
    const items: unknown[] = [Array.isArray(body) ? body : Object(body).items].flat()
    const found = items.map((item) => ({ status: Object(item).status, error: Object(item).error }))
    const inOrder = found.toSorted((a, b) => Number(a.error === null) - Number(b.error === null))
    expect([path, status, inOrder]).toEqual([path, 200, wanted])
  }
  const whole = await server.as(owner).get('/api/jobs?omit=results')
  expect([whole.status, whole.get('code')]).toEqual([413, 'page_too_large'])
  expect(whole.text('message')).toContain('leave them out with omit')
  const file = await fetch(`${server.url}/api/collections/quantum_jobs/records?format=jsonl&fields=error`, {
    headers: { authorization: server.superuser.token },
  })
  const lines = (await file.text()).trim().split('\n')
  expect(lines.map((line) => JSON.parse(line).error).filter(Boolean)).toEqual([failed.error])
})
