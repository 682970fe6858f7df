/**
 * The reference for HTTP: a Hono application with one route that reads a JSON body and responds with 201 and
 * a JSON body of the size of a job, run as a separate process. Prints its port.
 */
import { Hono } from 'hono'

const app = new Hono()
app.get('/api/health', (c) => c.json({ status: 'ok' }))
app.post('/api/jobs', async (c) => {
  const payload: unknown = await c.req.json()
  return c.json({ id: 'k3x9f0a2b7c1d5e', status: 'pending', payload, filler: 'x'.repeat(300) }, 201)
})
const server = Bun.serve({ hostname: '127.0.0.1', port: 0, fetch: app.fetch })
console.log(server.port)
