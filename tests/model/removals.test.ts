import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { MINUTE_MS, toTimestamp } from '../../src/base/index.ts'
import { COLLECTIONS, checkInvariants, type Tx } from '../../src/db/index.ts'
import { notifications, users } from '../../src/db/store/accounts/index.ts'
import { bookSlots, overlapsOf, timeSlots } from '../../src/db/store/bookings/index.ts'
import {
  beginUserRemoval,
  finishUserRemoval,
  type RemovalStep,
  removalSteps,
} from '../../src/db/store/maintenance/index.ts'
import { deleteQpu, drivers, qpus } from '../../src/db/store/qpus/index.ts'
import { checkReadings, events, rollUpReadings, thresholds } from '../../src/db/store/readings/index.ts'
import { openTestDatabase, type TestDatabase } from '../support/database.ts'
import { part } from '../support/whole.ts'

/** Relations that the removal of the last referenced record empties, and that concern nobody then. */
const NOBODY_WHEN_EMPTY = [
  'calibration_requests.result',
  'calibration_requests.resumes',
  'calibration_results.driver',
  'calibration_results.qpu',
  'notifications.dismissed_by',
  'quantum_jobs.user_id',
  'users.api_tokens',
]

test('no removal empties a relation whose empty value means all', () => {
  const emptied = COLLECTIONS.flatMap(({ name, fields }) =>
    Object.entries(fields).flatMap(([field, { reference }]) =>
      reference?.onRemove === 'clear' ? [`${name}.${field}`] : [],
    ),
  )
  expect(emptied.toSorted()).toEqual(NOBODY_WHEN_EMPTY)
})

/** `pick` chooses among what exists, `some` a part of the users, none of them = all. */
const step = fc.record({
  do: fc.constantFrom(
    ...['book', 'notify', 'limit', 'reading', 'reading', 'remove user', 'continue', 'continue', 'remove QPU'],
  ),
  pick: fc.nat(30),
  some: fc.oneof(fc.subarray([0, 1, 2]), fc.constantFrom<number[][]>([0], [1])),
})

test('after any removals nobody is concerned by more than before, and owners of bookings are notified', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 20, maxLength: 60 }), async (steps) => {
      await using model = await RemovalModel.open()
      for (const each of steps) {
        await model.run(each)
        await model.compare()
      }
    }),
    { numRuns: part(100, 8), interruptAfterTimeLimit: 50_000 },
  )
}, 60_000)

interface Booking {
  user: string
  qpu: string
  start_time: string
  end_time: string
}

/** What was booked and addressed to whom, beside a database from which users and QPUs are removed. */
class RemovalModel {
  readonly #test: TestDatabase
  readonly #monitor: string
  #users: string[]
  #qpus: string[]
  /** Steps of removals that have begun, by user. */
  readonly #removals = new Map<string, RemovalStep[]>()
  readonly #bookings = new Map<string, Booking>()
  /** To whom each notification and each limit was addressed, by title and name; none = everybody. */
  readonly #addressees = new Map<string, readonly string[]>()
  /** Names of removed QPUs, and users who lost bookings with them. */
  readonly #cancelled: [qpu: string, user: string][] = []
  #value = 0

  constructor(test: TestDatabase, ids: { users: string[]; qpus: string[]; monitor: string }) {
    this.#test = test
    this.#users = ids.users
    this.#qpus = ids.qpus
    this.#monitor = ids.monitor
  }

  static async open(): Promise<RemovalModel> {
    const test = await openTestDatabase()
    const ids = await test.db.write('seed', (tx) => {
      const refrigerator = tx.insert(qpus, { name: 'refrigerator' }).id
      return {
        users: ['a', 'b', 'c'].map((username) => tx.insert(users, { username }).id),
        qpus: ['north', 'south', 'west'].map((name) => tx.insert(qpus, { name }).id),
        monitor: tx.insert(drivers, {
          ...{ name: 'cryostat', qpu: refrigerator, operation: 'monitor', token: 'cold' },
        }).id,
      }
    })
    return new RemovalModel(test, ids)
  }

  async run({ do: kind, pick, some }: { do: string; pick: number; some: number[] }): Promise<void> {
    const { db, clock } = this.#test
    await clock.advance(MINUTE_MS)
    const named = some.flatMap((at) => this.#users[at] ?? [])
    const user = this.#users[pick % this.#users.length] ?? ''
    const qpu = this.#qpus[pick % this.#qpus.length] ?? ''
    const title = `${kind} ${clock.now()}`
    if (kind === 'book')
      await db.write(kind, (tx) => this.#book(tx, user, [qpu, qpu, ''][pick % 3] ?? '', pick))
    if (named.length > 0 || some.length === 0) await this.#address(kind, title, named)
    if (kind === 'reading') await db.write(kind, (tx) => this.#read(tx))
    if (kind === 'remove user' && user !== '' && !this.#removals.has(user)) {
      await db.write(kind, (tx) => beginUserRemoval(tx, user, 'test'))
      this.#removals.set(user, removalSteps(user))
    }
    if (kind === 'continue') await this.#continueAll(1 + pick / 3)
    if (kind === 'remove QPU' && qpu !== '') await this.#removeQpu(qpu)
  }

  async #address(kind: string, title: string, to: string[]): Promise<void> {
    const { db } = this.#test
    this.#addressees.set(title, to)
    const limit = { name: title, driver: this.#monitor, channel: 't', limit: 1, notify: to }
    if (kind === 'notify') await db.write(kind, (tx) => tx.insert(notifications, { title, target_users: to }))
    if (kind === 'limit') await db.write(kind, (tx) => tx.insert(thresholds, limit))
  }

  #book(tx: Tx, user: string, qpu: string, pick: number): void {
    const start = this.#test.clock.now() + (pick % 8) * 30 * MINUTE_MS
    const times = { start_time: toTimestamp(start), end_time: toTimestamp(start + 45 * MINUTE_MS) }
    const conflicts = [...this.#bookings.values()].filter(
      (other) =>
        (other.qpu === qpu || other.qpu === '' || qpu === '') &&
        other.start_time < times.end_time &&
        times.start_time < other.end_time,
    )
    if (user === '') return
    const slots = [times]
    expect(overlapsOf(tx, { slots, qpu })).toHaveLength(conflicts.length > 0 ? 1 : 0)
    if (conflicts.length > 0) return
    for (const { id } of bookSlots(tx, { user, qpu, slots })) this.#bookings.set(id, { user, qpu, ...times })
  }

  /** A reading that is above the limits, after one that is not, and the other way round. */
  #read(tx: Tx): void {
    this.#value = 2 - this.#value
    const payload = { readings: { t: { value: this.#value, unit: 'K' } } }
    const ts = tx.at.replace(' ', 'T')
    tx.insert(events, { source: 'x', driver: this.#monitor, type: 'CryostatReading', ts, payload })
    checkReadings(tx, rollUpReadings(tx, 100))
  }

  async #continueAll(times: number): Promise<void> {
    for (let at = 0; at < times; at += 1) for (const user of this.#removals.keys()) await this.#continue(user)
  }

  async #continue(user: string): Promise<void> {
    const { db } = this.#test
    const [next, ...rest] = this.#removals.get(user) ?? []
    if (next) {
      const isDone = await db.write('continue', next)
      this.#removals.set(user, isDone ? rest : [next, ...rest])
    } else {
      await db.write('finish', (tx) => finishUserRemoval(tx, user))
      this.#users = this.#users.filter((other) => other !== user)
      this.#removals.delete(user)
    }
    const stored = await db.read((tx) => tx.list(timeSlots, { where: { booked_by: user } }))
    const kept = new Set(stored.map(({ id }) => id))
    for (const [id, booking] of this.#bookings)
      if (booking.user === user && !kept.has(id)) this.#bookings.delete(id)
  }

  async #removeQpu(qpu: string): Promise<void> {
    const { db, clock } = this.#test
    const { name } = (await deleteQpu(db, 'test', qpu)).qpu
    this.#qpus = this.#qpus.filter((other) => other !== qpu)
    for (const [id, { user, end_time, ...booking }] of this.#bookings) {
      if (booking.qpu !== qpu) continue
      this.#bookings.delete(id)
      if (end_time > toTimestamp(clock.now())) this.#cancelled.push([name, user])
    }
  }

  async compare(): Promise<void> {
    await this.#test.db.read((tx) => {
      expect(checkInvariants(tx)).toEqual([])
      const slots = tx.list(timeSlots)
      expect(Object.fromEntries(slots.map(({ id, qpu }) => [id, qpu]))).toEqual(
        Object.fromEntries([...this.#bookings].map(([id, { qpu }]) => [id, qpu])),
      )
      const stored = tx.list(notifications)
      for (const { title, target_users } of stored) {
        const to = this.#addressees.get(title.replace(/: .*/, '')) ?? target_users
        expect([title, target_users.length === 0]).toEqual([title, to.length === 0])
        expect(to).toEqual(expect.arrayContaining(target_users))
      }
      const received = stored.map(({ title, target_users }) => [title.split(' ')[2], ...target_users])
      const isHere = (user: string) => this.#users.includes(user) && !this.#removals.has(user)
      const owners = this.#cancelled.filter(([, user]) => isHere(user))
      expect(received).toEqual(expect.arrayContaining(owners))
    })
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#test[Symbol.asyncDispose]()
  }
}
