import type { Readings } from '../../../api/model/equipment/monitoring.ts'
import { csvText } from '../../../lib/save-file.ts'

/** The readings as CSV, one line per bucket and channel. */
export function readingsToCsv({ series, step_ms: stepMs }: Readings): string {
  const rows = series.flatMap(({ channel, unit, at, min, mean, max, count }) =>
    at.map((time, index) => [
      ...[new Date(time).toISOString(), stepMs / 1_000, channel, unit],
      ...[min, mean, max, count].map((column) => column[index]),
    ]),
  )
  const head = ['time_utc', 'bucket_seconds', 'channel', 'unit', 'min', 'mean', 'max', 'readings']
  return csvText([head, ...rows])
}
