import { DAY_MS } from '../../../base/index.ts'
/**
 * The backups to keep: the `last` ones, the newest of each of the last `days` days that have one, and of
 * `weeks` weeks.
 */
export interface RetentionPolicy {
  last: number
  days: number
  weeks: number
}

const NAME = /^svc-(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)\.(\d{3})Z\.db$/
/** 1 January 1970 was a Thursday; weeks begin on Monday. */
const FIRST_MONDAY = 4

/**
 * The name of a backup made at `now` (ms since the epoch): `svc-20260131T090500.000Z.db`; names sort by time.
 */
export function backupName(now: number): string {
  return `svc-${new Date(now).toISOString().replaceAll(/[-:]/g, '')}.db`
}

/** The time of the newest of these backups up to `now`, in ms since the epoch; undefined without one. */
export function newestBackup(names: readonly string[], now = Number.POSITIVE_INFINITY): number | undefined {
  const times = names.flatMap((name) => {
    const [, year, month, day, hour, minute, second, ms] = NAME.exec(name) ?? []
    if (year === undefined) return []
    const at = Date.parse(`${year}-${month}-${day}T${hour}:${minute}:${second}.${ms}Z`)
    return at > now ? [] : [at]
  })
  return times.length > 0 ? Math.max(...times) : undefined
}

/**
 * The backups in a folder that are no longer needed. Files with other names are ignored, as are backups later
 * than `now`: a clock that was ahead has made them, and they would stand in the place of newer ones.
 */
export function planRemoval(
  names: readonly string[],
  { last, days, weeks }: RetentionPolicy,
  now = Number.POSITIVE_INFINITY,
): string[] {
  const newestFirst = names
    .filter((name) => newestBackup([name], now) !== undefined)
    .toSorted()
    .toReversed()
  const kept = new Set([
    ...newestOfEach(newestFirst, dayOf).slice(0, days),
    ...newestOfEach(newestFirst, (name) => Math.floor((dayOf(name) - FIRST_MONDAY) / 7)).slice(0, weeks),
    ...newestFirst.slice(0, Math.max(1, last)),
  ])
  return newestFirst.filter((name) => !kept.has(name)).toReversed()
}

function newestOfEach(newestFirst: readonly string[], periodOf: (name: string) => number): string[] {
  const newest = new Map<number, string>()
  for (const name of newestFirst) if (!newest.has(periodOf(name))) newest.set(periodOf(name), name)
  return [...newest.values()]
}

/** Days since the epoch, UTC. */
function dayOf(name: string): number {
  const [, year, month, day] = NAME.exec(name) ?? []
  return Date.UTC(Number(year), Number(month) - 1, Number(day)) / DAY_MS
}
