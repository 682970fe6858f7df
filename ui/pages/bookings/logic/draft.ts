import { HOUR_MS, MINUTE_MS } from '../../../../src/base/portable/units.ts'
import { dateIn, editedTime, shiftDate, shiftDays, timeOfDay } from '../../../lib/zone.ts'
import type { Range } from './conflicts.ts'
import { formatDay } from './week.ts'

/** Steps of the pointer and the keys; with Alt the fine one. */
export const STEP_MS = 15 * MINUTE_MS
export const FINE_STEP_MS = 5 * MINUTE_MS

/** A slot that is being booked or changed. */
export interface Draft extends Range {
  /** The slot that it changes; undefined for a new one. */
  id?: string | undefined
}

/** A key that changes a draft. */
interface DraftKey {
  key: string
  shift: boolean
  fine: boolean
}

/** Rounds a time down to a step of the clock; offsets of zones are multiples of a quarter of an hour. */
export function snap(ms: number, step: number): number {
  return Math.round(ms / step) * step
}

/** The range between the place where a drag began and the pointer: at least one step. */
export function drawn(anchor: number, pointer: number, step: number): Range {
  const [from, to] = [snap(anchor, step), snap(pointer, step)]
  if (to > from) return { start: from, end: to }
  return to < from ? { start: to, end: from } : { start: from, end: from + step }
}

/** The draft moved so that it begins at a time. */
export function movedTo(draft: Draft, start: number): Draft {
  return { ...draft, start, end: draft.end + start - draft.start }
}

/** The draft with one of its ends at a time: at least one step remains. */
export function resized(draft: Draft, edge: 'start' | 'end', to: number, step: number): Draft {
  const at = snap(to, step)
  return edge === 'end'
    ? { ...draft, end: Math.max(at, draft.start + step) }
    : { ...draft, start: Math.min(at, draft.end - step) }
}

/** The draft after a key: arrows move it, with Shift they change its end. Undefined for other keys. */
export function afterKey(draft: Draft, { key, shift, fine }: DraftKey, zone: string): Draft | undefined {
  const step = fine ? FINE_STEP_MS : STEP_MS
  const rows = key === 'ArrowDown' ? 1 : key === 'ArrowUp' ? -1 : 0
  const days = key === 'ArrowRight' ? 1 : key === 'ArrowLeft' ? -1 : 0
  if (rows === 0 && days === 0) return undefined
  if (shift && days !== 0) return resized(draft, 'end', draft.end + days * HOUR_MS, step)
  if (shift) return resized(draft, 'end', draft.end + rows * step, step)
  if (days !== 0) return movedTo(draft, shiftDays(draft.start, days, zone))
  return movedTo(draft, draft.start + rows * step)
}

/** When a working day begins, after its midnight. */
const MORNING_MS = 8 * HOUR_MS

/** A draft of an hour, for the keyboard and the button: soon, or in the morning of a day to come. */
export function firstDraft(now: number, day: number): Draft {
  const start = day > now ? day + MORNING_MS : Math.ceil(now / STEP_MS) * STEP_MS
  return { start, end: start + HOUR_MS }
}

/** `11:15–13:30`; with the day of the end if it is another one. */
export function formatTimes({ start, end }: Range, zone: string): string {
  const last = dateIn(end - 1, zone)
  const isSameDay = last === dateIn(start, zone)
  const until = isSameDay && timeOfDay(end, zone) === '00:00' ? '24:00' : timeOfDay(end, zone)
  return `${timeOfDay(start, zone)}–${isSameDay ? '' : `${formatDay(last)} `}${until}`
}

/** `2 h 15 min`. */
export function formatLength({ start, end }: Range): string {
  const minutes = Math.round((end - start) / MINUTE_MS)
  const [hours, rest] = [Math.floor(minutes / 60), minutes % 60]
  if (minutes < 1) return `${Math.round((end - start) / 1_000)} s`
  return [hours > 0 ? `${hours} h` : '', rest > 0 ? `${rest} min` : '']
    .filter((part) => part !== '')
    .join(' ')
}

/** A typed time of day of 24 hours, `9`, `930` or `9:30`, as `09:30`; undefined for other text. */
export function clockTime(text: string): string | undefined {
  const [, hour = '', minute = '00'] = /^(\d{1,2}?)(?::?([0-5]\d))?$/.exec(text.trim()) ?? []
  if (hour === '' || Number(hour) > 24 || (hour === '24' && minute !== '00')) return undefined
  return `${hour === '24' ? '00' : hour.padStart(2, '0')}:${minute}`
}

/** The draft with the times of the fields; an end before the start is on the next day. */
export function draftFrom(
  draft: Draft,
  { date, start, end }: { date: string; start: string; end: string },
  zone: string,
): Draft | undefined {
  const from = editedTime(`${date}T${start}`, draft.start, zone)
  let to = editedTime(`${date}T${end}`, draft.end, zone)
  if (from === undefined || to === undefined) return undefined
  if (to <= from) to = editedTime(`${shiftDate(date, 1)}T${end}`, draft.end, zone) ?? to
  return to > from ? { ...draft, start: from, end: to } : undefined
}
