import * as v from 'valibot'
import { defineEvent } from '../define-event.ts'

/** What one channel of a cryostat shows. Further fields are kept as they are. */
const reading = v.looseObject({
  /** Null when there is no number: after a fault, or because the channel shows a text. */
  value: v.nullable(v.pipe(v.number(), v.finite())),
  /** As configured on the driver, such as `K` or `mbar`; may be empty. */
  unit: v.string(),
  /** As the cryostat reports it, such as `SYNCHRONIZED`; `ERROR` when there was no usable answer. */
  status: v.string(),
  /** UTC time of the value, by the clock of the cryostat. */
  ts: v.optional(v.pipe(v.string(), v.isoTimestamp())),
  /** The value is older than the cryostat expects it to be. */
  outdated: v.optional(v.boolean()),
  /** Why there is no value, or what the cryostat complains of. */
  error: v.optional(v.string()),
  /** What a channel shows that is no number, such as `on`. */
  text: v.optional(v.string()),
})

/** One poll of a cryostat: readings by channel path. A poll too large for one event is split between several. */
export const cryostatReading = defineEvent({
  type: 'CryostatReading',
  log: true,
  payload: v.object({ readings: v.record(v.string(), reading) }),
})
