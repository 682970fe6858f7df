import type { Axis } from './logic/axis.ts'
import { nearestFree, overlapping, type Range, shortened } from './logic/conflicts.ts'
import type { Draft } from './logic/draft.ts'
import { type Entry, isTaken } from './logic/entries.ts'

/** A draft beside what is booked: what it overlaps with, and what could be booked instead. */
export interface Plan {
  draft: Draft
  conflicts: readonly Entry[]
  /** The nearest free time of the same length; undefined when the draft itself is free. */
  nearest: Range | undefined
  /** The draft up to the first conflict. */
  shorter: Range | undefined
}

/** What the pages of one calendar share. */
export interface Shown {
  axis: Axis
  entries: readonly Entry[]
  now: number
  zone: string
  superuser: boolean
}

/**
 * Compares a draft with the booked slots and the sessions of others; calibrations and maintenance do not
 * prevent a booking.
 */
export function planOf(draft: Draft, entries: readonly Entry[], limits: Range): Plan {
  const slots = entries.filter(
    (entry) =>
      isTaken(entry) && !(entry.kind === 'session' && entry.mine) && entry.slot?.id !== (draft.id ?? '-'),
  )
  const conflicts = overlapping(draft, slots)
  const isBad = conflicts.length > 0 || draft.start < limits.start
  return {
    draft,
    conflicts,
    nearest: isBad ? nearestFree(draft, slots, limits) : undefined,
    shorter: shortened(draft, conflicts),
  }
}

/** Whether the account may change a slot: its own that has not begun; superusers any. */
export function mayChange(
  { slot, mine, start }: Entry,
  { now, superuser }: Pick<Shown, 'now' | 'superuser'>,
): boolean {
  return slot !== undefined && (superuser || (mine && start > now))
}
