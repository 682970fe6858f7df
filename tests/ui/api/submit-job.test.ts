import { expect, test } from 'bun:test'
import { createApi } from '../../../ui/api/api.ts'
import { submitJob } from '../../../ui/api/submit-job.ts'

test('a submission without a response is repeated with its key; another one, and one after a response, has its own', async () => {
  const keys: string[] = []
  const answers = ['lost', 'made', 'made', 'refused', 'made', 'lost', 'made']
  using server = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    async fetch(request) {
      keys.push(request.headers.get('idempotency-key') ?? '')
      const answer = answers[keys.length - 1]
      if (answer === 'made') return Response.json({ id: `job${keys.length}` })
      if (answer === 'refused')
        return Response.json({ status: 400, message: 'Check the fields.', data: {} }, { status: 400 })
      // Cut off in the middle.
      return new Response('{"id": "jo')
    },
  })
  const api = createApi({
    base: `http://127.0.0.1:${server.port}`,
    token: () => 'token',
    onUnauthorized: () => undefined,
  })
  const [bell, ghz] = [{ circuits: ['bell'] }, { circuits: ['ghz'] }]
  await expect(submitJob(api, bell)).rejects.toThrow('could not be read')
  expect(await submitJob(api, bell)).toBe('job2')
  await submitJob(api, bell)
  await expect(submitJob(api, bell)).rejects.toThrow('Check the fields')
  await submitJob(api, bell)
  await expect(submitJob(api, bell)).rejects.toThrow('could not be read')
  await submitJob(api, ghz)
  expect(keys.every((key) => /^[0-9a-f]{32}$/.test(key))).toBe(true)
  expect(keys[1]).toBe(keys[0])
  expect(new Set(keys).size).toBe(keys.length - 1)
})
