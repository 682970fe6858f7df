import { afterEach, expect, test } from 'bun:test'
import { attach, closeDriverSockets, connectAs, untilStatus } from '../../support/server/driver-sockets.ts'
import { openTestServer } from '../../support/server/server.ts'
import { listenAs } from '../../support/server/subscriptions.ts'
import { until } from '../../support/until.ts'

afterEach(closeDriverSockets)

test('the ports of drivers are shown to nobody who is not signed in, by no way', async () => {
  await using server = await openTestServer()
  const user = await server.createUser({ qpuSeconds: 10 })
  const qpu = await server.createQpu('north')
  const records = '/api/collections/qpus/records'
  const circuits = [{ circuit: 'OPENQASM 3.0; qubit q; bit c; c = measure q;' }]
  const job = await server.as(user).post('/api/jobs', { circuits, qpu_target: 'north' })
  expect(job.status).toBe(201)
  await using stream = await listenAs(server.guest, 'qpus/*')
  const connected = await connectAs(server, qpu)
  await attach(server, connected)
  await untilStatus(server, qpu, 'online')
  const port = connected.get('command_port')

  for (const client of [server.guest, server.as(user)]) {
    for (const path of [
      '/api/qpus',
      '/api/qpus/north',
      records,
      `${records}/${qpu.id}`,
      `${records}?fields=id,command_port,result_port`,
      '/api/collections/quantum_jobs/records?expand=qpu_target',
    ]) {
      const { status, body } = await client.get(path)
      expect([path, status, /_port"/.test(JSON.stringify(body))]).toEqual([path, 200, false])
    }
    // Neither as an oracle, directly or through a relation.
    for (const query of [
      `filter=${encodeURIComponent(`command_port = ${port}`)}`,
      `filter=${encodeURIComponent('result_port > 0')}`,
      'sort=command_port',
      'sort=-result_port',
    ]) {
      expect([query, (await client.get(`${records}?${query}`)).status]).toEqual([query, 400])
    }
    const through = encodeURIComponent(`qpu_target.command_port = ${port}`)
    const related = await client.get(`/api/collections/quantum_jobs/records?filter=${through}`)
    expect(related.status).toBe(400)
  }
  await until('the change is published', () => stream.events.length > 1)
  expect(JSON.stringify(stream.events)).not.toContain('_port')
  expect((await server.guest.get('/api/collections/drivers/records')).get('items')).toEqual([])
  // Superusers see them, and may send the record back as it was read.
  const read = await server.admin.get(`${records}/${qpu.id}`)
  expect(read.get('command_port')).toBe(port)
  expect((await server.admin.patch(`${records}/${qpu.id}`, read.body)).status).toBe(200)
})
