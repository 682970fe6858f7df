import * as v from 'valibot'

/** When QPUs are busy. Times are UTC text; an empty `qpu` is every QPU, an empty `end` is open. */
export const schedule = v.object({
  busy: v.array(
    v.object({
      qpu: v.string(),
      kind: v.picklist([
        'slot',
        'session',
        'batch_session',
        'calibration',
        'queued_calibration',
        'maintenance',
      ]),
      start: v.string(),
      end: v.string(),
      mine: v.boolean(),
    }),
  ),
  ticks: v.array(v.object({ qpu: v.string(), start: v.string(), end: v.string() })),
  /** When jobs failed. */
  failures: v.optional(v.array(v.object({ qpu: v.string(), at: v.string() })), []),
  /** Moments such as the exchange of a trap; none for guests. */
  notes: v.array(v.object({ id: v.string(), qpu: v.string(), at: v.string(), text: v.string() })),
})
export type Schedule = v.InferOutput<typeof schedule>

/** When QPUs took no jobs, why, and when they were calibrated. */
export const availability = v.object({
  busy: v.array(v.object({ qpu: v.string(), kind: v.string(), start: v.string(), end: v.string() })),
  closed: v.array(
    v.object({ qpu: v.string(), kind: v.string(), start: v.string(), end: v.string(), reason: v.string() }),
  ),
})
export type Availability = v.InferOutput<typeof availability>
