import type { Readings } from '../../../api/model/equipment/monitoring.ts'

/** The readings as CSV, one line per bucket and channel. */
export function readingsToCsv({ series, step_ms: stepMs }: Readings): string {
  const rows = series.flatMap(({ channel, unit, at, min, mean, max, count }) =>
    at.map((time, index) => [
      new Date(time).toISOString(),
      String(stepMs / 1_000),
      quote(channel),
      quote(unit),
      ...[min, mean, max, count].map((column) => String(column[index])),
    ]),
  )
  const head = ['time_utc', 'bucket_seconds', 'channel', 'unit', 'min', 'mean', 'max', 'readings']
  return `${[head, ...rows].map((row) => row.join(',')).join('\r\n')}\r\n`
}

/** A field that spreadsheets do not run as a formula, whatever a driver calls its channel. */
function quote(text: string): string {
  const safe = /^[=+\-@\t\r]/.test(text) ? `'${text}` : text
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe
}
