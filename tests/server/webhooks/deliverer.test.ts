import { beforeAll, describe, expect, spyOn, test } from 'bun:test'
import { createSecureContext } from 'node:tls'
import { parseNetwork, silentLog } from '../../../src/base/index.ts'
import type { Database } from '../../../src/db/index.ts'
import { notifications, users } from '../../../src/db/store/accounts/index.ts'
import { qpus } from '../../../src/db/store/qpus/index.ts'
import {
  createWebhook,
  findWebhook,
  type ListedDelivery,
  listDeliveries,
  queueTestDelivery,
  queueWebhookEvent,
  rotateSecret,
  updateWebhook,
  type WebhookKindName,
} from '../../../src/db/store/webhooks/index.ts'
import { AddressGuard } from '../../../src/server/webhooks/addresses.ts'
import { Deliverer } from '../../../src/server/webhooks/deliverer.ts'
import { newWebhookSecret } from '../../../src/server/webhooks/signature.ts'
import { openTestDatabase, type TestDatabase } from '../../support/database.ts'
import { makeTestCertificates, type TestCertificates } from '../../support/sockets/certificates.ts'
import { until } from '../../support/until.ts'
import { isSignedWith, openReceiver, RECEIVER_NAMES, type Response } from '../../support/webhooks/receiver.ts'

const SECOND = 1_000
const DAY = 86_400_000

let certificates: TestCertificates
beforeAll(async () => {
  certificates = await makeTestCertificates(RECEIVER_NAMES)
})

const open = (response: Response = 200) => openReceiver({ certificates, response })

interface Lab extends TestDatabase {
  deliverer: Deliverer
  user: string
  /** Runs the loop once and waits for the attempts it began. */
  round(): Promise<void>
  register(port: number, kinds?: WebhookKindName[], user?: string): Promise<{ id: string; secret: string }>
  emit(user?: string): Promise<void>
  deliveries(webhook: string): Promise<ListedDelivery[]>
}

async function openLab(): Promise<Lab> {
  const test = await openTestDatabase()
  const { db, clock } = test
  const allowed = ['127.0.0.1'].map((text) => parseNetwork(text) ?? expect.unreachable())
  const guard = new AddressGuard({ allowed, resolve: async () => ['127.0.0.1'] })
  const secureContext = createSecureContext({ ca: [certificates.caPem] })
  const deliverer = new Deliverer({ db, clock, log: silentLog, guard, secureContext, version: '1' })
  const user = await addUser(db)
  return {
    ...test,
    deliverer,
    user,
    async round() {
      await deliverer.runOnce()
      await deliverer.settled()
    },
    async register(port, kinds = ['job.ended'], owner = user) {
      const secret = newWebhookSecret()
      const settings = { url: `https://hook.test:${port}/`, description: '', kinds, secret }
      const change = { user: owner, actor: 'test', isOperator: true }
      return { ...(await createWebhook(db, settings, change)), secret }
    },
    emit: (owner = user) =>
      db.write('event', (tx) => queueWebhookEvent(tx, { kind: 'job.ended', user: owner, data: { id: 'j' } })),
    deliveries: (webhook) => db.read((tx) => listDeliveries(tx, webhook, 200)),
  }
}

async function addUser(db: Database, disabled = false): Promise<string> {
  return (await db.write('user', (tx) => tx.insert(users, { username: '', disabled }))).id
}

describe('Deliverer', () => {
  test('reads nothing after changes while there is no webhook; the first one begins at once', async () => {
    await using lab = await openLab()
    await using receiver = await open()
    const { db, deliverer } = lab
    const change = (name: string) => db.write('change', (tx) => tx.insert(qpus, { name }))
    const settle = async () => {
      for (let round = 0; round < 20; round += 1) await new Promise((resolve) => setImmediate(resolve))
    }
    deliverer.loop.start()
    await settle()
    const read = spyOn(db, 'read')
    await change('one')
    await settle()
    expect(read).toHaveBeenCalledTimes(0)
    await lab.register(receiver.port)
    await settle()
    await lab.emit()
    await change('two')
    await until('the delivery', () => receiver.requests.length === 1)
    await deliverer.stop()
  })

  test('sends an event once, signed, and records the response', async () => {
    await using lab = await openLab()
    await using receiver = await open()
    const { id, secret } = await lab.register(receiver.port)
    await lab.emit()
    await lab.round()
    await lab.round()
    expect(receiver.requests.length).toBe(1)
    const request = await receiver.request()
    expect(isSignedWith(secret, request)).toBe(true)
    expect(isSignedWith(newWebhookSecret(), request)).toBe(false)
    expect(request.headers['webhook-timestamp']).toBe(String(lab.clock.now() / SECOND))
    expect(JSON.parse(request.body)).toEqual({
      type: 'job.ended',
      timestamp: '2026-01-31T09:00:00.000Z',
      data: { id: 'j' },
    })
    const [delivery] = await lab.deliveries(id)
    expect(delivery).toMatchObject({
      state: 'delivered',
      attempts: 1,
      status: 200,
      response: 'ok',
      error: '',
    })
    expect(delivery?.id).toBe(request.headers['webhook-id'] ?? '')
    expect(lab.deliverer.outcomes).toEqual({ delivered: 1, failed: 0 })
  })

  test('retries after 5 s, 10 s, 20 s and so on, with the same id and a new timestamp', async () => {
    await using lab = await openLab()
    await using receiver = await open(500)
    const { id } = await lab.register(receiver.port)
    await lab.emit()
    await lab.round()
    for (const [n, seconds] of [5, 10, 20, 40].entries()) {
      await lab.clock.advance(seconds * SECOND - 1)
      await lab.round()
      expect(receiver.requests.length).toBe(n + 1)
      await lab.clock.advance(1)
      await lab.round()
      expect(receiver.requests.length).toBe(n + 2)
    }
    expect(new Set(receiver.requests.map(({ headers }) => headers['webhook-id'])).size).toBe(1)
    expect(new Set(receiver.requests.map(({ headers }) => headers['webhook-timestamp'])).size).toBe(5)
    receiver.respond(200)
    await lab.clock.advance(80 * SECOND)
    await lab.round()
    expect((await lab.deliveries(id))[0]).toMatchObject({ state: 'delivered', attempts: 6 })
    const webhook = await findWebhook(lab.db, lab.user, id)
    expect(webhook).toMatchObject({ failures: 0, failing_since: '', enabled: true })
  })

  test('tries a failing receiver with one delivery at a time', async () => {
    await using lab = await openLab()
    await using receiver = await open(500)
    await lab.register(receiver.port)
    for (let n = 0; n < 10; n += 1) await lab.emit()
    await lab.round()
    // Up to 4 at once while nothing was known about it.
    expect(receiver.requests.length).toBe(4)
    await lab.clock.advance(600 * SECOND)
    await lab.round()
    expect(receiver.requests.length).toBe(5)
    await lab.round()
    expect(receiver.requests.length).toBe(5)
  })

  test('disables a receiver that failed for a week, and notifies its owner only', async () => {
    await using lab = await openLab()
    await using receiver = await open(500)
    const { id } = await lab.register(receiver.port)
    await lab.emit()
    const begun = lab.clock.now()
    for (let hours = 0; hours < 7 * 24 - 1; hours += 1) {
      await lab.round()
      await lab.clock.advance(3_600 * SECOND)
    }
    expect(await findWebhook(lab.db, lab.user, id)).toMatchObject({ enabled: true })
    await lab.emit()
    while (lab.clock.now() < begun + 7 * DAY + 6 * 3_600 * SECOND) {
      await lab.clock.advance(3_600 * SECOND)
      await lab.round()
    }
    const reason = 'every delivery failed for a week'
    expect(await findWebhook(lab.db, lab.user, id)).toMatchObject({ enabled: false, disabled_reason: reason })
    const notified = await lab.db.read((tx) => tx.list(notifications))
    expect(notified).toMatchObject([{ title: 'A webhook was disabled', target_users: [lab.user] }])
    expect(notified[0]?.description).toContain('http_status: HTTP 500')
    expect((await lab.deliveries(id)).map(({ state }) => state)).toEqual(['failed', 'failed'])
    const requests = receiver.requests.length
    expect(requests).toBeLessThan(60)
    await lab.emit()
    await lab.clock.advance(DAY)
    await lab.round()
    expect(receiver.requests.length).toBe(requests)
  })

  test('does not disable a receiver of which one delivery succeeded in that week', async () => {
    await using lab = await openLab()
    await using receiver = await open(500)
    const { id } = await lab.register(receiver.port)
    for (let hours = 0; hours < 8 * 24; hours += 1) {
      if (hours % 24 === 0) await lab.emit()
      receiver.respond(hours === 100 ? 200 : 500)
      await lab.clock.advance(3_600 * SECOND)
      await lab.round()
    }
    expect(await findWebhook(lab.db, lab.user, id)).toMatchObject({ enabled: true })
  })

  test('does not disable a receiver because the server was stopped for a week', async () => {
    await using lab = await openLab()
    await using receiver = await open(500)
    const { id } = await lab.register(receiver.port)
    await lab.emit()
    await lab.round()
    await lab.clock.advance(8 * DAY)
    await lab.round()
    expect(await findWebhook(lab.db, lab.user, id)).toMatchObject({ enabled: true, failures: 2 })
    // The delivery itself is too old.
    expect((await lab.deliveries(id))[0]).toMatchObject({ state: 'failed', attempts: 2 })
  })

  test('disables a receiver that responds with 410 at once', async () => {
    await using lab = await openLab()
    await using receiver = await open(410)
    const { id } = await lab.register(receiver.port)
    await lab.emit()
    await lab.round()
    expect(await findWebhook(lab.db, lab.user, id)).toMatchObject({
      enabled: false,
      disabled_reason: 'the receiver responded with 410 Gone',
    })
    expect(await lab.db.read((tx) => tx.list(notifications))).toHaveLength(1)
  })

  test('a receiver that its owner enables again starts without its earlier failures', async () => {
    await using lab = await openLab()
    await using receiver = await open(410)
    const { id } = await lab.register(receiver.port)
    await lab.emit()
    await lab.round()
    receiver.respond(200)
    await updateWebhook(lab.db, id, { enabled: true }, { user: lab.user, actor: 'test', isOperator: false })
    await lab.emit()
    await lab.round()
    expect(receiver.requests.length).toBe(2)
    expect(await findWebhook(lab.db, lab.user, id)).toMatchObject({ enabled: true, disabled_reason: '' })
  })

  test('signs with both secrets for a day after a rotation', async () => {
    await using lab = await openLab()
    await using receiver = await open()
    const { id, secret } = await lab.register(receiver.port)
    const next = newWebhookSecret()
    await rotateSecret(lab.db, id, next, { user: lab.user, actor: 'test', isOperator: false })
    await lab.emit()
    await lab.clock.advance(DAY - 1)
    await lab.round()
    const both = await receiver.request(1)
    expect([isSignedWith(next, both), isSignedWith(secret, both)]).toEqual([true, true])
    await lab.emit()
    await lab.clock.advance(1)
    await lab.round()
    const one = await receiver.request(2)
    expect([isSignedWith(next, one), isSignedWith(secret, one)]).toEqual([true, false])
  })

  test('a slow receiver delays no other', async () => {
    await using lab = await openLab()
    await using slow = await open(() => undefined)
    await using quick = await open()
    const owners = await Promise.all(Array.from({ length: 5 }, () => addUser(lab.db)))
    for (const owner of owners) await lab.register(slow.port, ['job.ended'], owner)
    await lab.register(quick.port)
    for (const owner of owners) for (let n = 0; n < 20; n += 1) await lab.emit(owner)
    await lab.emit()
    await lab.deliverer.runOnce()
    await quick.request()
    // Each of them has 4 attempts, which is also the limit of its user.
    await slow.request(20)
    await lab.deliverer.runOnce()
    expect(slow.requests.length).toBe(20)
    await lab.clock.advance(10 * SECOND)
    await lab.deliverer.settled()
    await lab.clock.advance(600 * SECOND)
    await lab.deliverer.runOnce()
    await slow.request(25)
    await lab.deliverer.runOnce()
    // Now each of them has one attempt.
    expect(slow.requests.length).toBe(25)
    await lab.clock.advance(10 * SECOND)
    await lab.deliverer.settled()
  })

  test('a test delivery goes first, also to a receiver in its pause', async () => {
    await using lab = await openLab()
    await using receiver = await open(500)
    const { id } = await lab.register(receiver.port)
    await lab.emit()
    await lab.round()
    const delivery = await queueTestDelivery(lab.db, lab.user, id)
    await lab.round()
    expect(receiver.requests.at(-1)?.headers['webhook-id']).toBe(delivery)
    expect(JSON.parse(receiver.requests.at(-1)?.body ?? '')).toMatchObject({ type: 'webhook.test' })
  })

  test('sends nothing for a disabled account', async () => {
    await using lab = await openLab()
    await using receiver = await open()
    const { id } = await lab.register(receiver.port)
    await lab.emit()
    await lab.db.write('disable', (tx) => tx.update(users, lab.user, { disabled: true }))
    await lab.round()
    await lab.emit()
    await lab.round()
    expect(receiver.connections).toBe(0)
    expect((await lab.deliveries(id)).map(({ error }) => error)).toEqual(['the account is disabled'])
  })

  test('interrupts attempts when it stops, and makes them again', async () => {
    await using lab = await openLab()
    await using receiver = await open(() => undefined)
    const { id } = await lab.register(receiver.port)
    await lab.emit()
    await lab.deliverer.runOnce()
    await receiver.request()
    let isStopped = false
    const stopped = lab.deliverer.stop().then(() => {
      isStopped = true
    })
    // Within 2 s of its clock.
    const begun = lab.clock.now()
    await until('the stop', async () => {
      if (lab.clock.now() - begun < 2 * SECOND) await lab.clock.advance(50)
      return isStopped
    })
    await stopped
    expect((await lab.deliveries(id))[0]).toMatchObject({ state: 'pending', attempts: 0 })
  })
})
