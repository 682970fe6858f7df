import type { Clock } from '../../base/index.ts'
import { JobError } from '../../devices/index.ts'

/** Time after which the encoding is reported as the phase of the job, in ms. */
const REPORT_AFTER_MS = 250

interface EncodingLimitOptions {
  clock: Clock
  /** Start and end of the time of the job, in ms of `clock.monotonic()`. */
  startedAt: number
  deadline: number
  phase(name: string): void
}

/**
 * Ends the encoding of results, which begins now, at the deadline of their job: returns a checkpoint that
 * throws a `JobError` `timed_out` after it, with the time that each part has taken.
 */
export function encodingLimit({ clock, startedAt, deadline, phase }: EncodingLimitOptions): () => void {
  const from = clock.monotonic()
  let isReported = false
  return () => {
    const now = clock.monotonic()
    if (!isReported && now - from >= REPORT_AFTER_MS) {
      isReported = true
      phase('encoding')
    }
    if (now < deadline) return
    const part = from < deadline ? 'encoding' : 'execution'
    const parts = `execution ${seconds(from - startedAt)}, encoding ${seconds(now - from)}`
    throw new JobError(`job timed out after ${seconds(deadline - startedAt)} during ${part} (${parts})`, {
      errorCode: 'timed_out',
      executed: true,
    })
  }
}

function seconds(ms: number): string {
  return `${Number((ms / 1_000).toPrecision(3))} s`
}
