import * as v from 'valibot'
import { defineEvent } from '../define-event.ts'

/** Reading of one channel of a cryostat. Further fields are stored as they are. */
const reading = v.looseObject({
  /** Null when there is no number: after a fault, or because the channel reports text. */
  value: v.nullable(v.pipe(v.number(), v.finite())),
  /** As configured on the driver, such as `K` or `mbar`; may be empty. */
  unit: v.string(),
  /** As the cryostat reports it, such as `SYNCHRONIZED`; `ERROR` when there was no usable response. */
  status: v.string(),
  /** UTC time of the value, by the clock of the cryostat. */
  ts: v.optional(v.pipe(v.string(), v.isoTimestamp())),
  /** Whether the cryostat reports the value as outdated. */
  outdated: v.optional(v.boolean()),
  /** The reason for a missing value, or the error that the cryostat reports. */
  error: v.optional(v.string()),
  /** Value of a channel that is not a number, such as `on`. */
  text: v.optional(v.string()),
})

/** One poll of a cryostat: readings by channel path. A poll too large for one event is split. */
export const cryostatReading = defineEvent({
  type: 'CryostatReading',
  log: true,
  payload: v.object({ readings: v.record(v.string(), reading) }),
})
