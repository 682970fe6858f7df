import { DAY_MS, MINUTE_MS } from '../../../src/base/portable/units.ts'

const MONTH_MS = 28 * DAY_MS

/**
 * Labels of the ticks of a time axis in a zone. `stepMs` is the distance between ticks: below a day, times of
 * the day, with the date at midnight.
 */
export function timeLabels(ticks: readonly number[], stepMs: number, timeZone: string): string[] {
  const form = (options: Intl.DateTimeFormatOptions) =>
    new Intl.DateTimeFormat('en-GB', { timeZone, ...options })
  const time = form({ hour: '2-digit', minute: '2-digit', ...(stepMs < MINUTE_MS && { second: '2-digit' }) })
  const day = form({ day: 'numeric', month: 'short' })
  const month = form({ month: 'short', year: 'numeric' })
  return ticks.map((tick) => {
    if (stepMs >= MONTH_MS) return month.format(tick)
    if (stepMs >= DAY_MS) return day.format(tick)
    const text = time.format(tick)
    return /^00:00(:00)?$/.test(text) ? day.format(tick) : text
  })
}

/** A moment as the label of the cursor: `Fri 20 Nov, 03:58:20`, with seconds below ten minutes per bucket. */
export function formatCursor(ms: number, stepMs: number, timeZone: string): string {
  const day = new Intl.DateTimeFormat('en-GB', { timeZone, weekday: 'short', day: 'numeric', month: 'short' })
  const time = new Intl.DateTimeFormat('en-GB', {
    timeZone,
    hour: '2-digit',
    minute: '2-digit',
    ...(stepMs < MINUTE_MS && { second: '2-digit' }),
  })
  return `${day.format(ms).replace(',', '')}, ${time.format(ms)}`
}
