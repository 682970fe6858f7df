import { describe, expect, test } from 'bun:test'
import type { Database } from '../../../../src/db/index.ts'
import { users } from '../../../../src/db/store/accounts/index.ts'
import {
  listDeliveries,
  listDueWebhooks,
  queueWebhookEvent,
  recordAttempt,
  type WebhookKindName,
  webhooks,
} from '../../../../src/db/store/webhooks/index.ts'
import { openTestDatabase } from '../../../support/database.ts'
import { onlySqlite } from '../../../support/postgres/only-sqlite.ts'

const OK = { status: 200, error: '', durationMs: 5, response: 'ok' }
const BROKEN = { status: 500, error: 'http_status: HTTP 500', durationMs: 5, response: '' }

async function addWebhook(db: Database, values: Partial<{ enabled: boolean; for_operators: boolean }> = {}) {
  return db.write('webhook', (tx) => {
    const user = tx.insert(users, { username: '' }).id
    const kinds = values.for_operators ? ['qpu.changed'] : ['job.ended']
    const row = { user, url: 'https://hook.test/', kinds, secret: 'whsec_AAAA', ...values }
    return { id: tx.insert(webhooks, row).id, user }
  })
}

function emit(
  db: Database,
  user: string,
  data: Record<string, unknown> = { id: 'j' },
  kind: WebhookKindName = 'job.ended',
) {
  return db.write('event', (tx) => queueWebhookEvent(tx, { kind, user, data }))
}

const list = (db: Database, id: string) => db.read((tx) => listDeliveries(tx, id, 2_000))

describe('queueWebhookEvent()', () => {
  test('queues nothing when the event is rolled back', async () => {
    await using test = await openTestDatabase()
    const { id, user } = await addWebhook(test.db)
    const failed = test.db.write('event', (tx) => {
      queueWebhookEvent(tx, { kind: 'job.ended', user, data: {} })
      throw new Error('rolled back')
    })
    await expect(failed).rejects.toThrow('rolled back')
    expect(await list(test.db, id)).toEqual([])
  })

  test('queues for enabled webhooks of the user and the kind only', async () => {
    await using test = await openTestDatabase()
    const { db } = test
    const [mine, other] = [await addWebhook(db), await addWebhook(db)]
    const disabled = await addWebhook(db, { enabled: false })
    const operator = await addWebhook(db, { for_operators: true })
    await emit(db, mine.user)
    await emit(db, disabled.user)
    await emit(db, '', { id: 'q' }, 'qpu.changed')
    const counts = [mine, other, disabled, operator].map(async ({ id }) => (await list(db, id)).length)
    expect(await Promise.all(counts)).toEqual([1, 0, 0, 1])
  })

  test('stores at most 1,000 pending deliveries of a webhook, and counts the others', async () => {
    await using test = await openTestDatabase()
    const { db } = test
    const { id, user } = await addWebhook(db)
    await db.write('events', (tx) => {
      for (let n = 0; n < 1_003; n += 1) queueWebhookEvent(tx, { kind: 'job.ended', user, data: {} })
    })
    expect(await list(db, id)).toHaveLength(1_000)
    expect((await db.read((tx) => tx.find(webhooks, id)))?.dropped).toBe(3)
  })

  test('leaves data out that make a body of more than 16 KiB', async () => {
    await using test = await openTestDatabase()
    const { id, user } = await addWebhook(test.db)
    await emit(test.db, user, { id: 'large', text: 'x'.repeat(16_384) })
    const [row] = await test.db.read((tx) =>
      tx.all<{ body: string }>('SELECT body FROM webhook_deliveries WHERE webhook = $id', { id }),
    )
    expect(JSON.parse(row?.body ?? '').data).toEqual({ id: 'large', truncated: true })
  })
})

describe('recordAttempt()', () => {
  test('keeps the newest 100 deliveries that ended, and all that are pending', async () => {
    await using test = await openTestDatabase()
    const { db } = test
    const { id, user } = await addWebhook(db)
    for (let n = 0; n < 105; n += 1) await emit(db, user)
    const newestFirst = await list(db, id)
    for (const { id: delivery } of newestFirst.slice(1).toReversed())
      await db.write('record', (tx) =>
        recordAttempt(tx, { webhook: id, delivery, url: 'https://hook.test/' }, OK),
      )
    const left = await list(db, id)
    expect(left.filter(({ state }) => state === 'delivered')).toHaveLength(100)
    expect(left.filter(({ state }) => state === 'pending')).toHaveLength(1)
    expect(left.at(-1)?.id).toBe(newestFirst[100]?.id)
  })

  test('ignores a delivery that ended or was removed meanwhile', async () => {
    await using test = await openTestDatabase()
    const { db } = test
    const { id, user } = await addWebhook(db)
    await emit(db, user)
    const key = { webhook: id, url: 'https://hook.test/', delivery: (await list(db, id))[0]?.id ?? '' }
    const record = (attempt: typeof OK) => db.write('record', (tx) => recordAttempt(tx, key, attempt))
    expect(await record(OK)).toBe('delivered')
    expect(await record(BROKEN)).toBeUndefined()
    await db.write('remove', (tx) => tx.remove(webhooks, id))
    expect(await record(OK)).toBeUndefined()
    expect(await list(db, id)).toEqual([])
  })
})

describe('listDueWebhooks()', () => {
  test('separates receivers that failed from the others, the longest waiting first', async () => {
    await using test = await openTestDatabase()
    const { db, clock } = test
    const [first, second, broken] = [await addWebhook(db), await addWebhook(db), await addWebhook(db)]
    for (const { user } of [broken, first, second]) {
      await emit(db, user)
      await clock.advance(1)
    }
    const [delivery] = await list(db, broken.id)
    const key = { webhook: broken.id, url: 'https://hook.test/', delivery: delivery?.id ?? '' }
    await db.write('record', (tx) => recordAttempt(tx, key, BROKEN))
    const due = (isStrained: boolean) =>
      db.read((tx) => listDueWebhooks(tx, isStrained, 10).map(({ id }) => id))
    expect(await due(false)).toEqual([first.id, second.id])
    expect(await due(true)).toEqual([])
    await clock.advance(5_000)
    expect(await due(true)).toEqual([broken.id])
  })

  test('serves a receiver that took more than 1 s apart from the others', async () => {
    await using test = await openTestDatabase()
    const { db } = test
    const [quick, slow] = [await addWebhook(db), await addWebhook(db)]
    for (const [{ id, user }, durationMs] of [
      [quick, 1_000],
      [slow, 1_001],
    ] as const) {
      await emit(db, user)
      const key = { webhook: id, url: 'https://hook.test/', delivery: (await list(db, id))[0]?.id ?? '' }
      await db.write('record', (tx) => recordAttempt(tx, key, { ...OK, durationMs }))
      await emit(db, user)
    }
    const due = (isStrained: boolean) =>
      db.read((tx) => listDueWebhooks(tx, isStrained, 10).map(({ id }) => id))
    expect([await due(false), await due(true)]).toEqual([[quick.id], [slow.id]])
  })

  test.skipIf(onlySqlite('its plans'))('finds its rows by index', async () => {
    await using test = await openTestDatabase()
    const plan = await test.db.read((tx) =>
      tx.explain(
        'SELECT id FROM webhooks WHERE next_at > 0 AND strained = $strained AND next_at <= $now ORDER BY next_at',
        { strained: 0, now: 1 },
      ),
    )
    expect(plan.join('\n')).toContain('webhooks_strained_next_at')
    expect(plan.join('\n')).not.toContain('TEMP B-TREE')
  })
})
