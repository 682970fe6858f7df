import * as v from 'valibot'
import { defineEvent } from '../define-event.ts'

/** One poll of a cryostat: readings by channel path. */
export const cryostatReading = defineEvent({
  type: 'CryostatReading',
  log: true,
  payload: v.object({
    readings: v.record(
      v.string(),
      v.looseObject({
        value: v.nullable(v.pipe(v.number(), v.finite())),
        unit: v.string(),
        status: v.string(),
      }),
    ),
  }),
})
