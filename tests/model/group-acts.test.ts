import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { DAY_MS, HOUR_MS, MINUTE_MS, toTimestamp } from '../../src/base/index.ts'
import { superusers } from '../../src/db/collections/superusers.ts'
import { type MailItem, queueMailItem } from '../../src/db/journal/mail-items.ts'
import { queueWebhookEvent } from '../../src/db/journal/webhook-events.ts'
import type { Tx } from '../../src/db/records/tx.ts'
import { users } from '../../src/db/store/accounts/index.ts'
import { timeSlots } from '../../src/db/store/bookings/index.ts'
import { claimDigest, type Digest, finishDigest, listDueDigests } from '../../src/db/store/mail/index.ts'
import { drivers } from '../../src/db/store/qpus/index.ts'
import {
  createWebhook,
  type DueWebhook,
  findWebhook,
  listDueDeliveries,
  listDueWebhooks,
  recordAttempt,
  settleWebhook,
  updateWebhook,
} from '../../src/db/store/webhooks/index.ts'
import { openTestDatabase } from '../support/database.ts'
import { openTestServer } from '../support/server/server.ts'
import { part } from '../support/whole.ts'

// Acts on series, tokens, attempts in flight and queued messages, at random, with changes of owners, settings
// and versions between them: a model knows which members are still meant.

/** One of two numbers picks a thing, the other one what becomes of it. */
interface Step {
  pick: number
  other: number
  flag: boolean
}

/** Kinds of steps, the more often the more weight, and what they do. */
type Acts = Record<string, [weight: number, act: (step: Step) => unknown]>

const number = fc.nat({ max: 99 })
const step = fc.record({ at: number, pick: number, other: number, flag: fc.boolean() })
const pickOf = <T>(all: readonly T[], pick: number): T | undefined => all[pick % Math.max(1, all.length)]

/** Runs random steps of acts, which `begin` makes anew for each run, with what is compared at its end. */
async function explore(begin: () => Promise<{ acts: Acts; end?: () => unknown }>): Promise<void> {
  const run = async (steps: (Step & { at: number })[]) => {
    const { acts, end } = await begin()
    const weighted = Object.entries(acts).flatMap(([kind, [weight]]) => Array<string>(weight).fill(kind))
    for (const each of steps) await acts[pickOf(weighted, each.at) ?? '']?.[1](each)
    await end?.()
  }
  await fc.assert(fc.asyncProperty(fc.array(step, { minLength: 4, maxLength: 30, size: 'max' }), run), {
    numRuns: part(500, 16),
    interruptAfterTimeLimit: part(100_000, 10_000),
  })
}
const LIMIT_MS = 120_000

interface Slot {
  series: string
  at: string
  /** Index of a user. */
  owner: number
}

/** Whether a slot goes with an earlier one of its series. */
function isLater({ series, at, owner }: Slot, than: Slot): boolean {
  return series !== '' && series === than.series && at > than.at && owner === than.owner
}

/** What a user, or the superuser who comes after the two, gets for cancelling a slot. */
function statusFor(by: number, { owner, at }: Slot): number {
  if (by === 2) return 200
  if (by !== owner) return 404
  return at <= toTimestamp(Date.now()) ? 400 : 200
}

test(
  'a series loses what its canceller owns after any change of owners, times and slots',
  async () => {
    await using server = await openTestServer()
    const people = [await server.createUser(), await server.createUser()]
    const collection = '/api/collections/time_slots/records'
    let runs = 0
    await explore(async () => {
      const base = Math.floor(Date.now() / DAY_MS + 2) * DAY_MS
      const { id: qpu, name } = await server.createQpu(`q${runs++}`)
      const slots = new Map<string, Slot>()
      const times = (start: number) => {
        return { start_time: toTimestamp(start), end_time: toTimestamp(start + 20 * MINUTE_MS) }
      }
      /** Changes a slot by a superuser. */
      const change = async (pick: number, patch: { booked_by?: string; start_time?: string }) => {
        const [id, slot] = pickOf([...slots], pick) ?? []
        if (id === undefined || !slot) return undefined
        return (await server.admin.patch(`${collection}/${id}`, patch)).status === 200 ? slot : undefined
      }
      const cancel = async ({ pick, other, flag }: Step) => {
        const [id, slot] = pickOf([...slots], pick) ?? []
        if (id === undefined || !slot) return
        const by = other % 3
        const client = server.as(people[by] ?? server.superuser)
        const { status, body } = await client.call('DELETE', `/api/bookings/${id}?following=${flag ? 1 : 0}`)
        const expected = statusFor(by, slot)
        expect(status).toBe(expected)
        if (expected !== 200) return
        const gone = [...slots].filter(([each, its]) => each === id || (flag && isLater(its, slot)))
        expect(body).toEqual({ cancelled: gone.length })
        for (const [each] of gone) slots.delete(each)
      }
      const acts: Acts = {
        book: [
          2,
          async ({ pick, other }) => {
            const by = pick % people.length
            const start = times(base + (other % 6) * 7 * DAY_MS)
            const asked = { ...start, weeks: 1 + (pick % 4), qpu: name, user: people[by]?.id }
            // A superuser books for them: users may book only so many in a minute.
            expect([201, 400]).toContain((await server.admin.post('/api/bookings', asked)).status)
            const stored = await server.db.read((tx) => tx.list(timeSlots, { where: { qpu } }))
            for (const { id, series, start_time: at } of stored)
              if (!slots.has(id)) slots.set(id, { series, at, owner: by })
          },
        ],
        give: [
          1,
          async ({ pick, other }) => {
            const owner = other % people.length
            const slot = await change(pick, { booked_by: people[owner]?.id ?? '' })
            if (slot) slot.owner = owner
          },
        ],
        move: [
          1,
          async ({ pick, other }) => {
            const to = times(base + ((other % 50) - 5) * DAY_MS + HOUR_MS / 2)
            const slot = await change(pick, to)
            if (slot) slot.at = to.start_time
          },
        ],
        cancel: [2, cancel],
      }
      const end = async () => {
        const stored = await server.db.read((tx) => tx.list(timeSlots, { where: { qpu } }))
        expect(stored.map(({ id }) => id).sort()).toEqual([...slots.keys()].sort())
      }
      return { acts, end }
    })
  },
  LIMIT_MS,
)

test(
  'the token of a QPU stays that of one driver, also of one that was moved, and no replaced token connects',
  async () => {
    await using server = await openTestServer()
    const { admin, guest, db } = server
    let made = 0
    await explore(async () => {
      const homes = [await server.createQpu(`t${made++}`), await server.createQpu(`t${made++}`)]
      const ids = homes.map(({ id }) => id)
      const moved = homes[0]?.driver ?? ''
      /** Of each driver: where it is, and its token. Of each QPU: the driver that has its token. */
      const all = new Map(homes.map(({ id, driver, token }) => [driver, { qpu: id, token }]))
      const owners = new Map(homes.map(({ id, driver }) => [id, driver]))
      const replaced: string[] = []
      const newToken = () => `${'x'.repeat(32)}${made++}`
      const patch = async (name: 'qpus' | 'drivers', id: string, values: Record<string, string>) =>
        expect((await admin.patch(`/api/collections/${name}/records/${id}`, values)).status).toBe(200)
      const listed = () => db.read((tx) => tx.list(drivers, {}).filter(({ qpu }) => ids.includes(qpu)))
      /** What a driver connects with from now on. */
      const give = (driver: string, token: string) => {
        const known = all.get(driver)
        if (!known) return
        replaced.push(known.token)
        known.token = token
      }
      const ofQpu = async ({ pick }: Step) => {
        const id = pickOf(ids, pick) ?? ''
        const token = newToken()
        await patch('qpus', id, { access_token: token })
        const owner = owners.get(id) ?? ''
        if (all.get(owner)?.qpu === id) return give(owner, token)
        // Its driver is elsewhere: it has another one now.
        const added = (await listed()).find((each) => !all.has(each.id))
        expect(added).toMatchObject({ qpu: id, operation: 'process' })
        all.set(added?.id ?? '', { qpu: id, token })
        owners.set(id, added?.id ?? '')
      }
      const rename = ({ pick }: Step) =>
        patch('drivers', pickOf([...all.keys()], pick) ?? '', { name: `d${made++}` })
      const acts: Acts = {
        replace: [
          1,
          async ({ pick }) => {
            const id = pickOf([...all.keys()], pick) ?? ''
            give(id, (await admin.post('/api/op/drivers/token', { id })).text('token'))
          },
        ],
        driver: [
          1,
          async ({ pick }) => {
            const [id, token] = [pickOf([...all.keys()], pick) ?? '', newToken()]
            await patch('drivers', id, { token })
            give(id, token)
          },
        ],
        qpu: [2, ofQpu],
        move: [
          2,
          async ({ pick }) => {
            const qpu = pickOf(ids, pick) ?? ''
            await patch('drivers', moved, { qpu })
            all.set(moved, { token: '', ...all.get(moved), qpu })
          },
        ],
        'name of the driver': [1, rename],
        'name of the QPU': [1, ({ pick }) => patch('qpus', pickOf(ids, pick) ?? '', { name: `n${made++}` })],
      }
      const end = async () => {
        expect((await listed()).map(({ id, qpu }) => [id, qpu]).sort()).toEqual(
          [...all].map(([id, { qpu }]) => [id, qpu]).sort(),
        )
        const connect = (token: string) => guest.post('/api/op/drivers/connect', { token })
        for (const token of replaced) expect((await connect(token)).status).toBe(401)
        const found: unknown[] = []
        for (const { token } of all.values()) {
          const answer = await connect(token)
          found.push([answer.status, answer.status === 200 ? answer.text('qpu') : ''])
        }
        // One driver serves a QPU; the next waits for its lease.
        const served = [...all.values()].map(({ qpu }) => qpu)
        expect(found).toEqual(served.map((qpu, at) => (served.indexOf(qpu) === at ? [200, qpu] : [409, ''])))
        // What was leased is free again.
        for (const id of ids) expect((await admin.post('/api/op/qpu/delete', { id })).status).toBe(200)
      }
      return { acts, end }
    })
  },
  LIMIT_MS,
)

test(
  'an attempt in flight and a queued delivery follow the webhook as it is now',
  async () => {
    await using test = await openTestDatabase()
    const { db, clock } = test
    const both = ['job.ended', 'qpu.changed'] as const
    await explore(async () => {
      await clock.advance(1)
      const user = await db.write('user', (tx) => tx.insert(users, { username: `u${clock.now()}` }).id)
      const change = { user, actor: 'test', isOperator: true }
      const made = { url: 'https://0.test/', description: '', kinds: [...both], secret: 'whsec_AAAA' }
      const { id } = await createWebhook(db, made, change)
      const now = () => findWebhook(db, user, id)
      const flying: { delivery: string; url: string }[] = []
      /** After each act only what the webhook receives is pending. */
      const act = (weight: number, work: (step: Step) => unknown): Acts[string] => [
        weight,
        async (step) => {
          await clock.advance(HOUR_MS)
          await work(step)
          const { enabled, kinds } = await now()
          const sql = "SELECT kind FROM webhook_deliveries WHERE state = 'pending' AND webhook = $id"
          const left = await db.read((tx) => tx.all<{ kind: string }>(sql, { id }))
          expect(enabled ? kinds : []).toEqual(expect.arrayContaining(left.map(({ kind }) => kind)))
        },
      ]
      const patch = (settings: Parameters<typeof updateWebhook>[2]) => updateWebhook(db, id, settings, change)
      const start = async (webhook: DueWebhook) => {
        const its = await db.read((tx) => listDueDeliveries(tx, id, 9))
        const isIdle = webhook.isOwnerDisabled === 1 || its.length === 0
        if (isIdle) return db.write('settle', (tx) => settleWebhook(tx, webhook))
        const fresh = its.filter((each) => flying.every(({ delivery }) => delivery !== each.id))
        flying.push(...fresh.map((each) => ({ delivery: each.id, url: webhook.url })))
      }
      const begin = async () => {
        const isOwn = (webhook: { id: string }) => webhook.id === id
        const due = await db.read((tx) =>
          [true, false].flatMap((strained) => listDueWebhooks(tx, strained, 999).filter(isOwn)),
        )
        for (const webhook of due) await start(webhook)
      }
      const finish = async ({ pick, other }: Step) => {
        const [attempt] = flying.splice(pick % Math.max(1, flying.length), 1)
        if (!attempt) return
        const before = await now()
        const status = [200, 410, 500][other % 3] ?? 0
        const outcome = { status, error: status === 200 ? '' : 'HTTP', durationMs: 1, response: '' }
        const state = await db.write('end', (tx) => recordAttempt(tx, { webhook: id, ...attempt }, outcome))
        const after = await now()
        const isAboutIt = state !== undefined && attempt.url === before.url
        if (isAboutIt) expect(after.enabled).toBe(status !== 410)
        else if (status !== 200)
          expect([after.enabled, after.failures]).toEqual([before.enabled, before.failures])
      }
      const event = ({ pick }: Step) =>
        db.write('event', (tx) => queueWebhookEvent(tx, { kind: both[pick % 2] ?? both[0], user, data: {} }))
      const acts: Acts = {
        event: act(2, event),
        begin: act(2, begin),
        end: act(2, finish),
        address: act(1, ({ pick }) => patch({ url: `https://${pick % 2}.test/` })),
        kinds: act(1, ({ pick }) => patch({ kinds: both.filter((_, at) => at !== pick % 3) })),
        enable: act(1, ({ flag }) => patch({ enabled: flag })),
        owner: act(1, ({ flag }) => db.write('owner', (tx) => tx.update(users, user, { disabled: flag }))),
      }
      return { acts }
    })
  },
  LIMIT_MS,
)

test(
  'a mail has what its receiver wants when it is sent, and nothing twice',
  async () => {
    await using test = await openTestDatabase()
    const { db, clock } = test
    await explore(async () => {
      await clock.advance(1)
      const at = clock.now()
      const wanted = { mail_job_after: 60, mail_slot_start: true, mail_time_request: true }
      const account = { username: `u${at}`, email: `u${at}@example.org`, verified: true }
      const [user, root] = await db.write('seed', (tx) => [
        tx.insert(users, { ...account, ...wanted }).id,
        tx.insert(superusers, { email: `root${at}@example.org`, mail_alerts: true }).id,
      ])
      const queued = new Map<string, MailItem[]>()
      const digests = new Map<string, Digest>()
      const wants = (tx: Tx, { kind, detail }: MailItem) => {
        if (kind === 'limit_passed') return tx.find(superusers, root)?.mail_alerts === true
        const now = tx.find(users, user)
        if (!now?.verified || now.disabled) return false
        if (kind === 'job_ended') return now.mail_job_after > 0 && detail.seconds >= now.mail_job_after
        return kind === 'slot_started' ? now.mail_slot_start : now.mail_time_request
      }
      const act = (weight: number, work: (tx: Tx, step: Step, to: string) => unknown): Acts[string] => [
        weight,
        async (each) => {
          await clock.advance(20 * MINUTE_MS)
          await db.write('act', (tx) => void work(tx, each, each.flag ? user : root))
        },
      ]
      const queue = (tx: Tx, { pick, other }: Step, to: string) => {
        const items: MailItem[] = [
          { kind: 'job_ended', detail: { job: String(pick), status: 'completed', seconds: other * 2 } },
          { kind: 'slot_started', detail: { qpu: String(other), start: '', end: '' } },
          { kind: 'time_request_decided', detail: { status: 'approved', seconds: other, reason: '' } },
        ]
        const item = (to === user && pickOf(items, pick)) || {
          ...{ kind: 'limit_passed' as const, detail: { text: String(other) } },
        }
        queueMailItem(tx, to, item)
        queued.set(to, [...(queued.get(to) ?? []), item])
      }
      const claim = (tx: Tx, _: Step, to: string) => {
        if (digests.has(to) || !listDueDigests(tx, 999).includes(to)) return
        const digest = claimDigest(tx, to)
        const sent = digest?.items.map(({ kind, detail }) => ({ kind, detail })) ?? []
        const items: unknown[] = (queued.get(to) ?? []).filter((item) => wants(tx, item))
        expect(sent).toEqual(items as typeof sent)
        if (digest) digests.set(to, digest)
        // The rest is given up: nothing of it is sent when it is wanted later.
        queued.delete(to)
      }
      const settings = (tx: Tx, { pick, other, flag }: Step) => {
        if (!flag) return tx.update(superusers, root, { mail_alerts: pick % 2 === 0 })
        const [mail_slot_start, mail_time_request] = [other % 2 === 0, other % 3 === 0]
        const mail_job_after = [0, 1, 60, 150][pick % 4] ?? 0
        return tx.update(users, user, { mail_job_after, mail_slot_start, mail_time_request })
      }
      const finish = (tx: Tx, _: Step, to: string) => {
        const sent = digests.get(to)
        if (sent) finishDigest(tx, sent)
        digests.delete(to)
      }
      const state = ({ pick, other }: Step) => ({ verified: pick % 3 > 0, disabled: other % 4 === 0 })
      const acts: Acts = {
        queue: act(3, queue),
        claim: act(2, claim),
        settings: act(1, settings),
        finish: act(1, finish),
        account: act(1, (tx, each) => tx.update(users, user, state(each))),
      }
      return { acts }
    })
  },
  LIMIT_MS,
)
