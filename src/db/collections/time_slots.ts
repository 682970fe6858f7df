import { AppError } from '../../base/index.ts'
import { defineCollection } from '../schema/collection.ts'
import { date, relation, text } from '../schema/fields/index.ts'
import type { SqlReader } from '../sqlite/sql.ts'

const OWN = 'booked_by = @request.auth.id'

interface Slot {
  id: string
  start_time: string
  end_time: string
  qpu: string
}

/** Bookings: during a slot the jobs of its user go first. A slot without `qpu` applies to every QPU. */
export const timeSlots = defineCollection({
  name: 'time_slots',
  fields: {
    start_time: date({ required: true }),
    end_time: date({ required: true }),
    booked_by: relation('users', { required: true, cascade: true }),
    qpu: relation('qpus'),
    series: text({ max: 15, readOnly: true, help: 'Shared by the slots of a weekly repetition' }),
  },
  rules: {
    list: OWN,
    view: OWN,
    create: `@request.auth.id != "" && (booked_by = "" || ${OWN})`,
    update: OWN,
    remove: OWN,
  },
  indexes: [
    ['start_time'],
    ['end_time'],
    ['booked_by', 'start_time'],
    { on: ['series', 'start_time'], where: "series <> ''" },
  ],
  hooks: {
    beforeInsert({ tx, record }) {
      refuseBadTimes(record)
      refuseOverlap(tx, record)
    },
    beforeUpdate({ tx, after }) {
      refuseBadTimes(after)
      refuseOverlap(tx, after)
    },
  },
})

function refuseBadTimes(slot: Slot): void {
  if (slot.start_time === '' || slot.end_time === '' || slot.start_time < slot.end_time) return
  throw new AppError('invalid', 'A time slot must start before it ends', {
    fields: { end_time: { code: 'validation_invalid_value', message: 'Must be after start_time.' } },
  })
}

function refuseOverlap(tx: SqlReader, slot: Slot): void {
  // A missing time is reported as such, after the hooks.
  if (slot.start_time === '' || slot.end_time === '') return
  const other = tx.one<{ start_time: string; end_time: string }>(
    `SELECT start_time, end_time FROM time_slots
     WHERE start_time < $end AND end_time > $start AND id <> $id
       AND (qpu = $qpu OR qpu = '' OR $qpu = '') LIMIT 1`,
    { start: slot.start_time, end: slot.end_time, id: slot.id, qpu: slot.qpu },
  )
  if (!other) return
  const busy = `${other.start_time} to ${other.end_time}`
  throw new AppError('invalid', `The time overlaps with a slot from ${busy}; choose a free time`, {
    reason: 'slot_overlap',
    fields: {
      start_time: { code: 'validation_slot_overlap', message: `Overlaps with a slot from ${busy}.` },
    },
  })
}
