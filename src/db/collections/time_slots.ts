import { badField, DAY_MS, fromTimestamp, toTimestamp } from '../../base/index.ts'
import { type Dialect, ofDialect } from '../engine/dialect.ts'
import type { SqlReader } from '../engine/sql.ts'
import { defineCollection } from '../schema/collection.ts'
import { date, relation, text } from '../schema/fields/index.ts'

/** From when until when, UTC text. */
export interface Times {
  readonly start_time: string
  readonly end_time: string
}

/** A requested slot and the first booked one that it overlaps with. */
export interface SlotConflict extends Times {
  readonly booked: Times
}

/** Condition on a slot that ends on a later day than it starts. */
const IS_OVERNIGHT = 'substr(end_time, 1, 10) > substr(start_time, 1, 10)'

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
    qpu: relation('qpus', { cascade: true }),
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
    { on: ['end_time', 'start_time'], where: IS_OVERNIGHT },
    ['qpu', 'start_time'],
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
  throw badField('A time slot must start before it ends', 'end_time', 'Must be after start_time.')
}

function refuseOverlap(tx: SqlReader, slot: Slot): void {
  // A missing time is reported as such, after the hooks.
  if (slot.start_time === '' || slot.end_time === '') return
  const [conflict] = overlapsOf(tx, { slots: [slot], qpu: slot.qpu, except: slot.id })
  if (!conflict) return
  const other = conflict.booked
  const busy = `${other.start_time} to ${other.end_time}`
  throw badField(
    `The time overlaps with a slot from ${busy}; choose a free time`,
    'start_time',
    `Overlaps with a slot from ${busy}.`,
    { code: 'validation_slot_overlap', reason: 'slot_overlap' },
  )
}

/**
 * The requested slots that overlap with booked ones, other than that with the id `except`; `qpu` '' = every
 * QPU. One statement finds them, which reads one booked slot per QPU for each; a second one, if there are
 * any, finds the first slot that is in the way.
 */
export function overlapsOf(
  tx: SqlReader,
  { slots, qpu, except = '' }: { slots: readonly Times[]; qpu: string; except?: string },
): SlotConflict[] {
  const wanted = slots.map((slot) => ({
    start: slot.start_time,
    end: slot.end_time,
    since: dayBefore(slot.start_time),
  }))
  const params = { wanted: JSON.stringify(wanted), qpu, except }
  const busy = tx.all<{ at: number }>(taken(tx.dialect), params).map(({ at }) => wanted[at])
  if (busy.length === 0) return []
  const rows = tx.all<Times & { bookedStart: string; bookedEnd: string }>(overlaps(tx.dialect), {
    ...params,
    wanted: JSON.stringify(busy),
  })
  return rows.map(({ start_time, end_time, bookedStart, bookedEnd }) => ({
    start_time,
    end_time,
    booked: { start_time: bookedStart, end_time: bookedEnd },
  }))
}

function dayBefore(time: string): string {
  return toTimestamp((fromTimestamp(time) ?? 0) - DAY_MS)
}

const wantedSql = ({ jsonItems, jsonKey }: Dialect) => `wanted AS (
    SELECT "key" AS at, ${jsonKey('"value"', 'start')} AS start_time, ${jsonKey('"value"', 'end')} AS end_time,
      ${jsonKey('"value"', 'since')} AS since
    FROM ${jsonItems('$wanted')})`

/**
 * The requested slots that overlap with any. Slots of one QPU do not overlap with each other, so only the
 * last one that begins before the end may be in the way. The QPUs with slots are found one after another.
 */
const taken = ofDialect(
  (dialect) => `
  WITH RECURSIVE ${wantedSql(dialect)},
  place (qpu) AS (
    SELECT min(qpu) FROM time_slots
    UNION ALL
    SELECT (SELECT min(qpu) FROM time_slots WHERE qpu > place.qpu) FROM place WHERE place.qpu IS NOT NULL),
  considered AS MATERIALIZED (
    SELECT qpu FROM place WHERE qpu IS NOT NULL AND (qpu IN ('', $qpu) OR $qpu = ''))
  SELECT at FROM wanted WHERE EXISTS (
    SELECT 1 FROM considered WHERE wanted.start_time < (
      SELECT booked.end_time FROM time_slots booked
      WHERE booked.qpu = considered.qpu AND booked.start_time < wanted.end_time AND booked.id <> $except
      ORDER BY booked.start_time DESC LIMIT 1))
  ORDER BY at`,
)

/** Conditions on a slot that may overlap with the requested one. */
const IS_OTHER = "id <> $except AND (qpu = $qpu OR qpu = '' OR $qpu = '')"

/**
 * For each requested slot the first booked one that overlaps with it: of those that begin in the 24 h before
 * its end, and of the others only those that last overnight.
 */
const overlaps = ofDialect(
  (dialect) => `
  WITH ${wantedSql(dialect)}
  SELECT wanted.start_time, wanted.end_time, booked.start_time AS "bookedStart", booked.end_time AS "bookedEnd"
  FROM wanted ${dialect.joinInOrder} time_slots booked ON booked.seq = (
    SELECT seq FROM (
      SELECT seq, start_time FROM time_slots
      WHERE start_time >= wanted.since AND start_time < wanted.end_time AND end_time > wanted.start_time AND ${IS_OTHER}
      UNION ALL
      SELECT seq, start_time FROM time_slots
      WHERE end_time > wanted.start_time AND ${dialect.unindexed('start_time')} < wanted.since AND ${IS_OVERNIGHT} AND ${IS_OTHER}) other
    ORDER BY start_time LIMIT 1)
  ORDER BY wanted.at`,
)
