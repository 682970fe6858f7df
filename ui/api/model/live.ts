import * as v from 'valibot'

/** A change of a record as sent on the event stream. */
export const liveEvent = v.object({
  action: v.picklist(['create', 'update', 'delete']),
  record: v.looseObject({ id: v.string() }),
})
/** A sign of life of the event stream, with the kind of account that it belongs to. */
export const heartbeat = v.object({ caller: v.picklist(['guest', 'user', 'superuser']) })
export type LiveEvent = v.InferOutput<typeof liveEvent>
