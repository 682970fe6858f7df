import { fromTimestamp, toTimestamp } from '../../base/index.ts'
import { defineCollection } from '../schema/collection.ts'
import { json, relation, text } from '../schema/fields/index.ts'

const SIGNED_IN = '@request.auth.id != ""'

/** The events that drivers reported; `ts` is the event's own time, `2026-01-31T09:05:00.000Z`. */
export const events = defineCollection({
  name: 'events',
  fields: {
    source: text({ required: true }),
    // A log keeps the ids of removed drivers and QPUs.
    driver: relation('drivers', { keep: true }),
    qpu: relation('qpus', { keep: true }),
    type: text({ required: true, max: 100 }),
    payload: json(),
    ts: text({ required: true, max: 40 }),
  },
  rules: { list: SIGNED_IN, view: SIGNED_IN, create: null, update: null, remove: null },
  // The log of one driver or QPU may be a few events among millions.
  indexes: [['type', 'ts'], ['driver', 'ts'], ['qpu', 'ts'], ['ts'], ['created']],
  hooks: {
    beforeInsert({ record }) {
      record.ts = eventTime(record.ts)
    },
    beforeUpdate({ after }) {
      after.ts = eventTime(after.ts)
    },
  },
})

/**
 * The stored form of an event's time, `2026-01-31T09:05:00.000Z`. Drivers may write `+01:00` or microseconds;
 * in one form, the texts sort by time. Text that is not a time is returned unchanged.
 */
export function eventTime(ts: string): string {
  const ms = fromTimestamp(ts)
  return ms === undefined ? ts : toTimestamp(ms).replace(' ', 'T')
}
