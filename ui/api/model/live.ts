import * as v from 'valibot'

/** A change of a record as sent on the event stream. */
export const liveEvent = v.object({
  action: v.picklist(['create', 'update', 'delete']),
  record: v.looseObject({ id: v.string() }),
})
export type LiveEvent = v.InferOutput<typeof liveEvent>
