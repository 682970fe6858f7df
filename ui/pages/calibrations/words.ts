import type { CalibrationRequest, ListedReport } from '../../api/model/calibrations.ts'
import type { Condition } from '../../jobs/status.ts'
import { sentence } from '../../lib/format.ts'
import { parseTime } from '../../lib/time.ts'

/** The mode in words. */
export function modeName(mode: string): string {
  return mode === 'fidelity_check'
    ? 'fidelity check'
    : mode === 'partial'
      ? 'partial'
      : mode === 'full'
        ? 'full'
        : mode || 'unknown'
}

/** The calibration as the title of a page: `Full calibration of boreas_5`. */
export function titleOf(mode: string, qpu: string): string {
  const what = mode === 'fidelity_check' ? 'Fidelity check' : `${sentence(modeName(mode))} calibration`
  return `${what} of ${qpu}`
}

const REQUEST: Record<string, Condition> = {
  pending: { tone: 'idle', glyph: 'pause', word: 'Waiting' },
  running: { tone: 'run', glyph: 'half', word: 'Running' },
  done: { tone: 'ok', glyph: 'check', word: 'Done' },
  failed: { tone: 'bad', glyph: 'cross', word: 'Failed' },
}

const REPORT: Record<string, Condition> = {
  success: { tone: 'ok', glyph: 'check', word: 'Success' },
  partial_failure: { tone: 'warn', glyph: 'triangle', word: 'Partial failure' },
  aborted: { tone: 'warn', glyph: 'triangle', word: 'Aborted' },
  failed: { tone: 'bad', glyph: 'cross', word: 'Failed' },
}

/** The state of a request. */
export function requestCondition({ status }: Pick<CalibrationRequest, 'status'>): Condition {
  return REQUEST[status] ?? { tone: 'idle', glyph: 'dash', word: sentence(status) || 'Unknown' }
}

/** The outcome of a report. */
export function reportCondition({ status, recalled }: Pick<ListedReport, 'status' | 'recalled'>): Condition {
  if (recalled) return { tone: 'warn', glyph: 'triangle', word: 'Recalled' }
  return (
    REPORT[status] ?? {
      tone: 'idle',
      glyph: 'dash',
      word: sentence(status.replaceAll('_', ' ')) || 'Unknown',
    }
  )
}

/** Seconds between two times; undefined when either is missing. */
export function secondsBetween(from: string, to: string): number | undefined {
  const [start, end] = [parseTime(from), parseTime(to)]
  return start === undefined || end === undefined ? undefined : Math.max(0, (end - start) / 1_000)
}

/** The targets of a request: all, or those it names. */
export function targetsText(targets: unknown): string {
  const names = Array.isArray(targets) ? targets.filter((one) => typeof one === 'string') : []
  if (names.length === 0) return 'all'
  return names.length <= 6 ? names.join(', ') : `${names.slice(0, 5).join(', ')} and ${names.length - 5} more`
}

/** A duration for estimates, without seconds from ten minutes on: `2 h 20 min`, `45 s`. */
export function roughly(seconds: number): string {
  if (seconds < 90) return `${Math.max(1, Math.round(seconds))} s`
  const minutes = Math.round(seconds / 60)
  const hours = Math.floor(minutes / 60)
  const rest = minutes % 60
  return [hours > 0 && `${hours} h`, (rest > 0 || hours === 0) && `${rest} min`].filter(Boolean).join(' ')
}

/** The longest time that the server lets a mode take, h. */
export const MODE_LIMIT_H: Record<string, number> = { fidelity_check: 2, partial: 12, full: 48 }
