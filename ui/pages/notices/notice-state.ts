import type { Notice } from '../../api/model/notices.ts'
import type { Condition } from '../../jobs/status.ts'
import { parseTime } from '../../lib/time.ts'

/** Whether a notice is shown now. */
export function noticeState(
  { start_time, end_time }: Pick<Notice, 'start_time' | 'end_time'>,
  nowMs: number,
): Condition {
  const from = parseTime(start_time) ?? Number.NEGATIVE_INFINITY
  const until = parseTime(end_time) ?? Number.POSITIVE_INFINITY
  if (until < nowMs) return { tone: 'idle', glyph: 'dash', word: 'Ended' }
  if (from > nowMs) return { tone: 'run', glyph: 'half', word: 'Planned' }
  return { tone: 'ok', glyph: 'dot', word: 'Shown' }
}
