import { expect, test } from 'bun:test'
import { toTimestamp } from '../../../src/base/index.ts'
import { quantumJobs } from '../../../src/db/store/jobs/index.ts'
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
