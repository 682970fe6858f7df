import { describe, expect, test } from 'bun:test'
import { toTimestamp } from '../../../src/base/index.ts'
import type { Tx } from '../../../src/db/index.ts'
import { users } from '../../../src/db/store/accounts/index.ts'
import { bookSlots, overlapsOf, timeSlots } from '../../../src/db/store/bookings/index.ts'
import { qpus } from '../../../src/db/store/qpus/index.ts'
import { openTestDatabase } from '../../support/database.ts'
import { onlySqlite } from '../../support/postgres/only-sqlite.ts'

const HOUR_MS = 3_600_000
const START = Date.UTC(2027, 0, 1)
const slotOf = (hour: number, hours: number) => ({
  start_time: toTimestamp(START + hour * HOUR_MS),
  end_time: toTimestamp(START + (hour + hours) * HOUR_MS),
})

/** The same numbers from 0 to 1 in each run. */
function numbers() {
  let state = 7
  return () => {
    state = (state * 48_271) % 2_147_483_647
    return state / 2_147_483_647
  }
}

async function openBooked() {
  const it = await openTestDatabase()
  const made = await it.db.write('seed', (tx) => ({
    user: tx.insert(users, { email: 'ada@example.org', username: 'ada' }).id,
    qpu: [tx.insert(qpus, { name: 'north' }).id, tx.insert(qpus, { name: 'south' }).id] as const,
  }))
  return { ...it, ...made }
}

describe('overlapsOf()', () => {
  test('finds for each requested slot the first booked one, whatever their lengths', async () => {
    await using it = await openBooked()
    const random = numbers()
    const places = ['', ...it.qpu]
    const booked: (ReturnType<typeof slotOf> & { qpu: string })[] = []
    await it.db.write('book', (tx) => {
      for (let each = 0; each < 400; each += 1) {
        const qpu = places[Math.floor(random() * 3)] ?? ''
        const hours = random() < 0.2 ? 24 + random() * 200 : random() * 12
        const slot = { ...slotOf(random() * 5_000, hours), qpu }
        if (overlapsOf(tx, { slots: [slot], qpu }).length > 0) continue
        tx.insert(timeSlots, { ...slot, booked_by: it.user })
        booked.push(slot)
      }
    })
    expect(booked.length).toBeGreaterThan(50)
    for (const qpu of places) {
      const slots = Array.from({ length: 200 }, () => slotOf(random() * 5_200 - 100, random() * 60))
      const found = await it.db.read((tx) => overlapsOf(tx, { slots, qpu }))
      const expected = slots.flatMap((slot) => {
        const [first] = booked
          .filter((each) => each.start_time < slot.end_time && each.end_time > slot.start_time)
          .filter((each) => each.qpu === qpu || each.qpu === '' || qpu === '')
          .toSorted((one, other) => (one.start_time < other.start_time ? -1 : 1))
        const { start_time = '', end_time = '' } = first ?? {}
        return first ? [{ ...slot, booked: { start_time, end_time } }] : []
      })
      expect(found).toEqual(expected)
    }
  })

  test.skipIf(onlySqlite('its plans'))(
    'reads a series with one statement, which passes over slots of other days by indexes',
    async () => {
      await using it = await openBooked()
      const statements: string[] = []
      const count = (tx: Tx): Tx => ({
        ...tx,
        all: (sql, params) => {
          statements.push(sql)
          return tx.all(sql, params)
        },
      })
      const slots = Array.from({ length: 53 }, (_, week) => slotOf(week * 168, 2))
      await it.db.write('book', (tx) => {
        expect(overlapsOf(count(tx), { slots, qpu: '' })).toEqual([])
        bookSlots(tx, { user: it.user, qpu: '', slots })
        expect(overlapsOf(count(tx), { slots, qpu: '' })).toHaveLength(53)
      })
      // A second statement only where there is a conflict.
      expect(statements).toHaveLength(3)
      const steps = async (sql = '') => {
        const plan = await it.db.read((tx) => tx.explain(sql, { wanted: '[]', qpu: '', except: '' }))
        return plan.filter((step) => /time_slots|booked/.test(step))
      }
      expect(await steps(statements[0])).toEqual([
        'SEARCH time_slots USING COVERING INDEX time_slots_qpu_start_time',
        'SEARCH time_slots USING COVERING INDEX time_slots_qpu_start_time (qpu>?)',
        'SEARCH booked USING INDEX time_slots_qpu_start_time (qpu=? AND start_time<?)',
      ])
      expect(await steps(statements[2])).toEqual([
        'SEARCH booked USING INTEGER PRIMARY KEY (rowid=?)',
        'SEARCH time_slots USING INDEX time_slots_start_time (start_time>? AND start_time<?)',
        'SEARCH time_slots USING INDEX time_slots_end_time_start_time (end_time>?)',
      ])
    },
  )

  test('a moved slot does not overlap with itself', async () => {
    await using it = await openBooked()
    const moved = await it.db.write('move', (tx) => {
      const { id } = tx.insert(timeSlots, { ...slotOf(10, 2), booked_by: it.user })
      return tx.update(timeSlots, id, slotOf(11, 2))
    })
    expect(moved?.start_time).toBe(slotOf(11, 2).start_time)
  })
})
