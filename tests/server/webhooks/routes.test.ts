import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { listAudit } from '../../../src/db/journal/index.ts'
import { quantumJobs } from '../../../src/db/store/jobs/index.ts'
import { webhooks } from '../../../src/db/store/webhooks/index.ts'
import { freePort } from '../../support/free-port.ts'
import { openTestServer, type TestAccount, type TestServer } from '../../support/server/server.ts'
import { makeTestCertificates, type TestCertificates } from '../../support/sockets/certificates.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'
import { until } from '../../support/until.ts'
import { isSignedWith, openReceiver, RECEIVER_NAMES } from '../../support/webhooks/receiver.ts'

let certificates: TestCertificates
let server: TestServer
const folder = temporaryFolder()
beforeAll(async () => {
  certificates = await makeTestCertificates(RECEIVER_NAMES)
  const webhookCaFile = join(folder.path, 'ca.pem')
  writeFileSync(webhookCaFile, certificates.caPem)
  server = await openTestServer({ settings: { webhookNetworks: '127.0.0.1', webhookCaFile } })
})
afterAll(async () => {
  await server[Symbol.asyncDispose]()
  folder[Symbol.dispose]()
})

const PUBLIC = { url: 'https://1.1.1.1/hook', kinds: ['job.ended'] }

async function register(account: TestAccount, body: object = PUBLIC) {
  const answer = await server.as(account).post('/api/webhooks', body)
  expect(answer.status).toBe(201)
  return { id: answer.text('id'), secret: answer.text('secret') }
}

/** A pending job of the user; cancelling it ends it. */
async function addJob(user: TestAccount): Promise<string> {
  const job = { user_id: user.id, payload: { circuits: [] } }
  return (await server.db.write('job', (tx) => tx.insert(quantumJobs, job))).id
}

describe('/api/webhooks', () => {
  test('registers, lists, changes and deletes webhooks; the secret is shown once', async () => {
    const user = await server.createUser()
    const client = server.as(user)
    const { id, secret } = await register(user, { ...PUBLIC, description: 'lab notebook' })
    expect(secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/)
    const listed = await client.get('/api/webhooks')
    expect(listed.body).toMatchObject([{ id, ...PUBLIC, description: 'lab notebook', enabled: true }])
    expect(JSON.stringify(listed.body)).not.toContain('whsec_')
    const changed = await client.patch(`/api/webhooks/${id}`, { enabled: false, description: 'off' })
    expect(changed.body).toMatchObject({ enabled: false, disabled_reason: 'disabled by its owner' })
    expect((await client.call('DELETE', `/api/webhooks/${id}`)).status).toBe(200)
    expect((await client.get(`/api/webhooks/${id}`)).status).toBe(404)
  })

  test('an event of the own job reaches the receiver; a job of another user does not', async () => {
    await using receiver = await openReceiver({ certificates })
    const [user, other] = [await server.createUser(), await server.createUser()]
    const { id, secret } = await register(user, { ...PUBLIC, url: `https://127.0.0.1:${receiver.port}/x` })
    const [job, foreign] = [await addJob(user), await addJob(other)]
    await server.as(other).post(`/api/jobs/${foreign}/cancel`)
    await server.as(user).post(`/api/jobs/${job}/cancel`)
    const request = await receiver.request()
    expect(isSignedWith(secret, request)).toBe(true)
    expect(JSON.parse(request.body)).toMatchObject({
      type: 'job.ended',
      data: { id: job, status: 'cancelled' },
    })
    const path = `/api/webhooks/${id}/deliveries`
    await until('the record of the delivery', async () => {
      const [delivery] = Object(await server.as(user).get(path)).body
      return delivery?.state === 'delivered'
    })
    expect((await server.as(user).get(path)).body).toMatchObject([
      { kind: 'job.ended', state: 'delivered', attempts: 1, status: 200, response: 'ok', error: '' },
    ])
    expect(receiver.requests.length).toBe(1)
  })

  test('a test delivery is queued, sent and listed', async () => {
    await using receiver = await openReceiver({ certificates, response: 500 })
    const user = await server.createUser()
    const { id } = await register(user, { ...PUBLIC, url: `https://127.0.0.1:${receiver.port}/` })
    const tooMany = await server.as(user).get(`/api/webhooks/${id}/deliveries?limit=201`)
    expect([tooMany.status, Object.keys(Object(tooMany.get('data')))]).toEqual([400, ['limit']])
    const queued = await server.as(user).post(`/api/webhooks/${id}/test`)
    expect(queued.status).toBe(202)
    const request = await receiver.request()
    expect(request.headers['webhook-id']).toBe(queued.text('delivery'))
  })

  test('refuses addresses that the server must not reach, naming the field and the remedy', async () => {
    const client = server.as(await server.createUser())
    const hosts = [
      '127.0.0.2',
      '10.0.0.1',
      '169.254.169.254',
      '[::1]',
      '[::ffff:10.0.0.1]',
      '0x7f000002',
      '2130706434',
    ]
    for (const host of hosts) {
      const answer = await client.post('/api/webhooks', { ...PUBLIC, url: `https://${host}/` })
      expect([host, answer.status, answer.text('code')]).toEqual([host, 400, 'address_not_allowed'])
      expect(JSON.stringify(answer.get('data'))).toContain('--webhook-networks')
    }
    const id = (await client.post('/api/webhooks', PUBLIC)).text('id')
    const moved = await client.patch(`/api/webhooks/${id}`, { url: 'https://10.0.0.1/' })
    expect([moved.status, moved.text('code')]).toEqual([400, 'address_not_allowed'])
  })

  test('refuses what is not an HTTPS address, unknown kinds and texts that are too long', async () => {
    const client = server.as(await server.createUser())
    const urls = [
      'http://1.1.1.1/',
      'https://a:b@1.1.1.1/',
      'https://1.1.1.1/#x',
      'ftp://1.1.1.1',
      'no',
      `https://1.1.1.1/${'x'.repeat(1_000)}`,
    ]
    for (const url of urls) {
      const answer = await client.post('/api/webhooks', { ...PUBLIC, url })
      expect([url, answer.status]).toEqual([url, 400])
      expect(Object.keys(Object(answer.get('data')))).toEqual(['url'])
    }
    for (const kinds of [[], ['job.unknown'], ['job.ended', 'job.ended'], 'job.ended']) {
      expect((await client.post('/api/webhooks', { ...PUBLIC, kinds })).status).toBe(400)
    }
    const description = 'x'.repeat(256)
    expect((await client.post('/api/webhooks', { ...PUBLIC, description })).status).toBe(400)
  })

  test('a user has at most 10 webhooks', async () => {
    const user = await server.createUser()
    for (let n = 0; n < 10; n += 1) await register(user)
    const answer = await server.as(user).post('/api/webhooks', PUBLIC)
    expect([answer.status, answer.text('code')]).toEqual([409, 'too_many_webhooks'])
    expect(answer.text('message')).toContain('10')
  })

  test('limits the changes of one account', async () => {
    const client = server.as(await server.createUser())
    const id = (await client.post('/api/webhooks', PUBLIC)).text('id')
    for (let n = 0; n < 19; n += 1) expect((await client.post(`/api/webhooks/${id}/rotate`)).status).toBe(200)
    for (const [method, path, body] of [
      ['POST', '/api/webhooks', PUBLIC],
      ['POST', `/api/webhooks/${id}/rotate`],
      ['POST', `/api/webhooks/${id}/test`],
      ['PATCH', `/api/webhooks/${id}`, { enabled: false }],
    ] as const) {
      expect((await client.call(method, path, body)).status).toBe(429)
    }
  })

  test('only superusers receive events of QPUs and calibrations', async () => {
    const user = await server.createUser()
    const refused = await server.as(user).post('/api/webhooks', { ...PUBLIC, kinds: ['qpu.changed'] })
    expect([refused.status, refused.text('code')]).toEqual([403, 'operator_kind'])
    const { id } = await register(user)
    const patched = await server.as(user).patch(`/api/webhooks/${id}`, { kinds: ['calibration.ended'] })
    expect(patched.status).toBe(403)
    await using receiver = await openReceiver({ certificates })
    const url = `https://127.0.0.1:${receiver.port}/`
    await register(server.superuser, { url, kinds: ['qpu.changed', 'calibration.ended'] })
    const qpu = await server.createQpu()
    await server.admin.patch(`/api/collections/qpus/records/${qpu.id}`, { maintenance: true })
    const request = await receiver.request()
    expect(JSON.parse(request.body)).toMatchObject({
      type: 'qpu.changed',
      data: { id: qpu.id, maintenance: true },
    })
  })

  test('a webhook of another user is not found', async () => {
    const { id } = await register(await server.createUser())
    const client = server.as(await server.createUser())
    for (const [method, path, body] of [
      ['GET', ''],
      ['PATCH', '', { enabled: false }],
      ['DELETE', ''],
      ['POST', '/rotate'],
      ['POST', '/test'],
      ['GET', '/deliveries'],
    ] as const) {
      expect([method, path, (await client.call(method, `/api/webhooks/${id}${path}`, body)).status]).toEqual([
        method,
        path,
        404,
      ])
    }
  })

  test('changes are audited without the path of the address, which may be a secret', async () => {
    const user = await server.createUser()
    const { id } = await register(user, { ...PUBLIC, url: 'https://1.1.1.1/secret-path' })
    await server.as(user).patch(`/api/webhooks/${id}`, { description: 'x' })
    await server.as(user).post(`/api/webhooks/${id}/rotate`)
    await server.as(user).call('DELETE', `/api/webhooks/${id}`)
    const entries = await server.db.read((tx) => listAudit(tx, { subject: id, limit: 10 }))
    const acts = entries.map(({ act }) => act)
    expect(acts).toEqual(['webhook.create', 'webhook.update', 'webhook.rotate', 'webhook.delete'])
    expect(JSON.stringify(entries)).not.toContain('secret-path')
    expect(entries[0]).toMatchObject({ actor: `user:${user.id}`, detail: { host: '1.1.1.1', user: user.id } })
  })

  test('webhooks, deliveries and mails are removed with their user', async () => {
    const user = await server.createUser()
    const { id } = await register(user, { ...PUBLIC, url: `https://127.0.0.1:${freePort()}/` })
    await server.as(user).post(`/api/webhooks/${id}/test`)
    await server.admin.call('DELETE', `/api/collections/users/records/${user.id}`)
    const left = await server.db.read((tx) => ({
      webhook: tx.find(webhooks, id),
      deliveries: tx.all('SELECT 1 FROM webhook_deliveries WHERE webhook = $id', { id }),
    }))
    expect(left).toEqual({ webhook: undefined, deliveries: [] })
  })

  test('a superuser reads and deletes the webhooks of users as records, without their secrets', async () => {
    const { id } = await register(await server.createUser())
    const path = `/api/collections/webhooks/records/${id}`
    const record = await server.admin.get(path)
    expect(record.get('url')).toBe(PUBLIC.url)
    expect(JSON.stringify(record.body)).not.toContain('whsec_')
    expect((await server.admin.patch(path, { url: 'https://10.0.0.1/' })).status).toBe(400)
    expect((await server.admin.call('DELETE', path)).status).toBe(204)
  })
})

test('--webhook-ca-file must name a file of certificates', async () => {
  for (const name of ['absent.pem', 'broken.pem']) {
    const webhookCaFile = join(folder.path, name)
    if (name === 'broken.pem') writeFileSync(webhookCaFile, 'nothing')
    await expect(openTestServer({ settings: { webhookCaFile } })).rejects.toThrow('--webhook-ca-file')
  }
})
