import * as v from 'valibot'
import { calibrationReport } from '../calibrations.ts'
import { job } from '../jobs.ts'

const share = v.object({ id: v.string(), created: v.string(), expires_at: v.string() })
export const shares = v.array(share)
export type Share = v.InferOutput<typeof share>

export const createdShare = v.object({ id: v.string(), url: v.string() })

/** What a link opens; exactly one of `job` and `report` is there. */
export const shared = v.object({
  expires_at: v.string(),
  qpu: v.string(),
  job: v.optional(job),
  report: v.optional(calibrationReport),
})
