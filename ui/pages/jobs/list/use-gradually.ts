import { useSignal } from '@preact/signals'
import { useEffect, useRef } from 'preact/hooks'

/** Rows that show another record in one frame; a page of new rows would take several frames at once. */
const ROWS_PER_FRAME = 8

/** A row of a long list; `job` is undefined while it is being loaded. */
interface ListRow<Job> {
  index: number
  job: Job | undefined
}

/**
 * The rows as they are shown in this frame: of those that show another job than before, at most
 * `ROWS_PER_FRAME` have it already; the others are as if it were being loaded, until the next frames.
 * Row i has the elements of slot i modulo `slots`.
 */
export function useGradually<Job extends { id: string }>(
  rows: readonly ListRow<Job>[],
  slots: number,
): ListRow<Job>[] {
  const jobs = useRef<(string | undefined)[]>([])
  const frame = useSignal(0)
  frame.value
  let left = ROWS_PER_FRAME
  let isComplete = true
  const shown = rows.map((row) => {
    const slot = row.index % slots
    if (!row.job || jobs.current[slot] === row.job.id) return row
    if (left === 0) {
      isComplete = false
      return { ...row, job: undefined }
    }
    left -= 1
    jobs.current[slot] = row.job.id
    return row
  })
  useEffect(() => {
    if (isComplete) return
    const next = requestAnimationFrame(() => {
      frame.value += 1
    })
    return () => cancelAnimationFrame(next)
  })
  return shown
}
