import * as v from 'valibot'
import { text } from '../fields.ts'

const list = <T extends v.GenericSchema>(item: T) => v.object({ items: v.array(item) })

/** Names that a lab gave to channels, in its order. */
const stages = v.pipe(
  v.optional(v.nullable(v.array(v.object({ channel: v.string(), name: v.string() }))), null),
  v.transform((list) => list ?? []),
)
export type Stage = v.InferOutput<typeof stages>[number]

/** A driver that reports readings. */
export const monitor = v.object({
  id: v.string(),
  name: v.string(),
  qpu: v.string(),
  status: v.string(),
  stages,
})
export type Monitor = v.InferOutput<typeof monitor>
export const monitors = list(monitor)

/** Readings of one channel, summarized in buckets; times in Unix ms. */
const readingSeries = v.object({
  channel: v.string(),
  unit: v.string(),
  /** Time of the newest reading, UTC text. */
  last: v.string(),
  /** That reading; a server of an earlier version does not send it. */
  value: v.optional(v.nullable(v.number())),
  at: v.array(v.number()),
  min: v.array(v.number()),
  mean: v.array(v.number()),
  max: v.array(v.number()),
  count: v.array(v.number()),
})
export type ReadingSeries = v.InferOutput<typeof readingSeries>

export const readings = v.object({ step_ms: v.number(), series: v.array(readingSeries) })
export type Readings = v.InferOutput<typeof readings>

/** A limit of a channel. */
export const threshold = v.object({
  id: v.string(),
  name: v.string(),
  driver: v.string(),
  channel: v.string(),
  unit: text,
  kind: v.picklist(['above', 'below', 'stale']),
  limit: v.number(),
  for_seconds: v.number(),
  enabled: v.boolean(),
  since: text,
  breached_at: text,
})
export type Threshold = v.InferOutput<typeof threshold>
export const thresholds = list(threshold)

/** A moment that plots mark. `author` is shown to superusers only. */
export const note = v.object({ id: v.string(), at: v.string(), text: v.string(), qpu: text, author: text })
export type Note = v.InferOutput<typeof note>
export const notes = list(note)

/** A calibration of the QPU that a monitor watches. */
const calibrationRun = v.object({
  id: v.string(),
  mode: v.string(),
  status: v.string(),
  started_at: text,
  finished_at: text,
  result: text,
})
export type CalibrationRun = v.InferOutput<typeof calibrationRun>
export const calibrationRuns = list(calibrationRun)

/** A change of the maintenance of a QPU, from the audit log. `until` is its expected end. */
const maintenanceChange = v.object({
  at: v.string(),
  detail: v.object({ maintenance: v.optional(v.boolean(), false), reason: text, until: text }),
})
export type MaintenanceChange = v.InferOutput<typeof maintenanceChange>
export const maintenanceChanges = v.object({ entries: v.array(maintenanceChange) })
