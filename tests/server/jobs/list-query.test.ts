import { expect, test } from 'bun:test'
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
