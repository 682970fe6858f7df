import * as v from 'valibot'

/** A calibration whose results are declared bad, or were. */
const recall = v.object({
  id: v.string(),
  reason: v.string(),
  created: v.string(),
  /** Empty while it is in force. */
  undone_at: v.string(),
})
export type Recall = v.InferOutput<typeof recall>
export const recalls = v.array(recall)
