/** Records of which the overview shows a summary. */
import * as v from 'valibot'
import { count, text } from '../../api/model/fields.ts'

/** A page of records of which only their number is read. */
export const recordCount = v.object({ totalItems: v.number() })

const page = <T extends v.GenericSchema>(item: T) =>
  v.object({ items: v.array(item), totalItems: v.optional(v.number()) })

/** Calibrations that run, with their tuner. */
export const runningCalibrations = page(
  v.object({
    id: v.string(),
    mode: text,
    started_at: text,
    progress: v.optional(
      v.nullable(
        v.object({
          phase: text,
          step: count,
          total: count,
          routine: text,
          target: text,
        }),
      ),
    ),
    expand: v.optional(v.object({ driver: v.optional(v.object({ name: v.string(), qpu: text })) })),
  }),
)
export type RunningCalibration = v.InferOutput<typeof runningCalibrations>['items'][number]

/** Limits of channels of monitors; `breached_at` is empty without a breach. */
export const channelLimits = page(
  v.object({
    id: v.string(),
    name: v.string(),
    driver: v.string(),
    channel: v.string(),
    unit: text,
    kind: v.picklist(['above', 'below', 'stale']),
    limit: v.number(),
    breached_at: text,
  }),
)
export type ChannelLimit = v.InferOutput<typeof channelLimits>['items'][number]

/** Requests for QPU time, with their users. */
export const timeRequests = page(
  v.object({
    id: v.string(),
    seconds: v.number(),
    requested_reason: text,
    created: text,
    expand: v.optional(v.object({ user: v.optional(v.object({ email: text })) })),
  }),
)
export type WaitingRequest = v.InferOutput<typeof timeRequests>['items'][number]
