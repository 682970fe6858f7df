import { afterAll, expect, test } from 'bun:test'
import { Worker } from 'node:worker_threads'
import { SvcClient } from '../../../clients/js/src/index.ts'
import { wrongOf } from '../../support/clients/reading-worker.ts'

const results = { backend: 'kelvin', metadata: {}, circuit_results: [] }
let requests = 0
/** Responds out of order, and to `/api/jobs/other` with another job. */
const server = Bun.serve({
  port: 0,
  async fetch({ url }) {
    const id = new URL(url).pathname.split('/').at(-1)
    requests += 1
    await Bun.sleep(requests % 7)
    return Response.json({ id: id === 'other' ? 'mine' : id, status: 'completed', tags: [], results })
  },
})
afterAll(() => server.stop(true))
const baseUrl = server.url.origin

test('workers, and calls of one client at the same time, read the jobs that they ask for', async () => {
  const file = new URL('../../support/clients/reading-worker.ts', import.meta.url)
  const wrong = Array.from({ length: 4 }, (_, worker) => {
    const ids = Array.from({ length: 50 }, (_, at) => `job${worker}n${at}`)
    const made = new Worker(file, { workerData: { baseUrl, ids } })
    return new Promise((resolve, reject) => made.once('message', resolve).once('error', reject))
  })
  const own = wrongOf({ baseUrl, ids: Array.from({ length: 200 }, (_, at) => `own${at}`) })
  expect(await Promise.all([...wrong, own])).toEqual([0, 0, 0, 0, 0])
  expect(requests).toBe(400)
})

test('the job of another request is refused', async () => {
  const read = new SvcClient({ baseUrl, apiToken: 'secret' }).job('other')
  expect(await read.catch((error: unknown) => error)).toMatchObject({ code: 'other_response' })
})
