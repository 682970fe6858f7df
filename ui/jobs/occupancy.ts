import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../src/base/portable/units.ts'
import type { Qpu } from '../api/model/qpus.ts'
import { formatCount, formatSeconds } from '../lib/format.ts'
import { formatDate, formatSpan, parseTime } from '../lib/time.ts'
import { dateIn, timeOfDay } from '../lib/zone.ts'
import type { QpuCondition } from './status.ts'

/** Longer queues are not counted to their end. */
const MAX_COUNTED = 1_000

/** The length of a queue: `0`, `7`, `1 000 or more`. */
export function queueLength({ queue_length }: Pick<Qpu, 'queue_length'>): string {
  return queue_length >= MAX_COUNTED ? `${formatCount(MAX_COUNTED)} or more` : formatCount(queue_length)
}

/** Who holds a QPU, by a session or a booking, and until when; undefined if nobody does. */
export function holderText(
  { holder: booking, session }: Pick<Qpu, 'holder' | 'session'>,
  now: number,
  zone: string,
): string | undefined {
  const active = session?.state === 'active' ? session : undefined
  const holder = active ?? booking
  if (!holder) return undefined
  const who = holder.mine ? 'you' : holder.email || 'another user'
  return `${who} until ${shortTime(holder.until, now, zone)}${idleText(active?.idle_since, now)}`
}

/** For how long a session has had no job: `, idle 12 s`. */
export function idleText(since: string | null | undefined, now: number): string {
  const ms = parseTime(since)
  return ms === undefined ? '' : `, idle ${formatSpan(Math.max(0, now - ms))}`
}

/** A time of today as `16:00`, another one with its date. */
export function shortTime(text: string, now: number, zone: string): string {
  const ms = parseTime(text)
  if (ms === undefined) return ''
  const time = timeOfDay(ms, zone)
  if (dateIn(ms, zone) === dateIn(now, zone)) return time
  const year = dateIn(ms, zone).slice(0, 4) !== dateIn(now, zone).slice(0, 4)
  return `${formatDate(ms, { timeZone: zone, year })}, ${time}`
}

/** When a job may start: `≈ 14:22`, or `14:22–14:30` if the estimate is wider than a minute. */
export function startText(
  start: { from: string; to: string } | null | undefined,
  now: number,
  zone: string,
): string | undefined {
  if (!start) return undefined
  const [from, to] = [shortTime(start.from, now, zone), shortTime(start.to, now, zone)]
  return from === to || to === '' ? `≈ ${from}` : `${from}–${to}`
}

/**
 * When a job submitted now starts, by the estimate of the server: `now`, `≈ 14:22`, `14:22–14:30`, or
 * `unknown: calibrating`. The condition of the QPU may be newer than the estimate.
 */
export function newJobStart(
  { estimated_start: start, waiting }: Pick<Qpu, 'estimated_start' | 'waiting'>,
  { takesJobs, word, reason }: Pick<QpuCondition, 'takesJobs' | 'word' | 'reason'>,
  now: number,
  zone: string,
): string {
  if (!takesJobs) return `unknown: ${(word === 'Online' ? reason : word).toLowerCase()}`
  if (start && !waiting) return 'now'
  return startText(start, now, zone) ?? `unknown: ${waiting?.text ?? 'no estimate'}`
}

/** The line below the name of a QPU: its queue, its holder, and why it takes no jobs. */
export function occupancyText(qpu: Qpu, reason: string, now: number, zone: string): string {
  const holder = holderText(qpu, now, zone)
  const until = qpu.maintenance && qpu.maintenance_until ? shortTime(qpu.maintenance_until, now, zone) : ''
  const parts = [
    reason,
    `${queueLength(qpu)} queued`,
    holder && `held by ${holder}`,
    until && `until ${until}`,
  ]
  return parts.filter(Boolean).join(', ')
}

/** The QPU whose current slot is the caller's, with the time that is left; undefined without one. */
export function ownSlot(qpus: readonly Qpu[], now: number): { name: string; left: string } | undefined {
  for (const { name, holder } of qpus) {
    const end = holder?.mine ? parseTime(holder.until) : undefined
    if (end !== undefined && end > now)
      return { name, left: formatSeconds(Math.ceil((end - now) / MINUTE_MS) * 60) }
  }
  return undefined
}

/** How long ago something was: `just now`, `3 min ago`, `3 h ago`, `12 days ago`. */
export function agoText(text: string | null | undefined, now: number): string {
  const ms = parseTime(text)
  if (ms === undefined) return ''
  const age = Math.max(0, now - ms)
  if (age < MINUTE_MS) return 'just now'
  if (age < HOUR_MS) return `${Math.floor(age / MINUTE_MS)} min ago`
  if (age < 2 * DAY_MS) return `${Math.floor(age / HOUR_MS)} h ago`
  return `${Math.floor(age / DAY_MS)} days ago`
}
