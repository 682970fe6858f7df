import { AppError, badField, formatDuration, fromTimestamp, toTimestamp } from '../../base/index.ts'
import type { ReadTx } from '../../db/index.ts'
import { requireQpu } from '../../db/store/qpus/index.ts'
import { sessionInTheWay } from '../../db/store/sessions/index.ts'
import type { Config } from '../config/settings.ts'

interface Slot {
  start_time: string
  end_time: string
}

/**
 * Whether users, who unlike superusers are limited in time, may book a slot.
 * @throws AppError `invalid` (`slot_in_past`, `slot_too_long`, `slot_too_far_ahead`).
 */
export function assertBookable(
  { start_time, end_time }: Slot,
  { now, at }: { now: number; at: string },
  { maxSlotLength, maxSlotAhead }: Pick<Config, 'maxSlotLength' | 'maxSlotAhead'>,
): void {
  const [start, end] = [fromTimestamp(start_time) ?? 0, fromTimestamp(end_time) ?? 0]
  if (start < now) {
    refuse('slot_in_past', 'start_time', `${start_time} is in the past; it is ${at} now.`)
  }
  if (end - start > maxSlotLength) {
    refuse('slot_too_long', 'end_time', `It must not be longer than ${formatDuration(maxSlotLength)}.`)
  }
  if (start > now + maxSlotAhead) {
    const latest = toTimestamp(now + maxSlotAhead)
    refuse('slot_too_far_ahead', 'start_time', `It must not begin after ${latest}.`)
  }
}

/**
 * Whether users may book these slots of a QPU, or of every QPU ('').
 * @throws AppError as `assertBookable`; `conflict` (`session_overlap`).
 */
export function assertFree(
  tx: ReadTx,
  { qpu, user, slots }: { qpu: string; user: string; slots: readonly Slot[] },
  config: Pick<Config, 'maxSlotLength' | 'maxSlotAhead'>,
): void {
  for (const slot of slots) {
    assertBookable(slot, tx, config)
    assertNotHeld(tx, slot, { qpu, user })
  }
}

/**
 * Whether nobody else holds the QPU, or any QPU (''), by an open session in that time; superusers end it.
 * @throws AppError `conflict` (`session_overlap`).
 */
function assertNotHeld(
  tx: ReadTx,
  { start_time, end_time }: Slot,
  booked: { qpu: string; user: string },
): void {
  const held = sessionInTheWay(tx, { ...booked, start: start_time, end: end_time })
  if (!held) return
  const message = `The QPU is held by a session until ${held.ends_at}; book a time after that`
  throw new AppError('conflict', message, { reason: 'session_overlap' })
}

/** The id of the QPU that a booking names; empty for all of them. @throws AppError `not_found`. */
export function bookedQpu(tx: ReadTx, nameOrId: string): string {
  return nameOrId === '' ? '' : requireQpu(tx, nameOrId).id
}

function refuse(reason: string, field: string, message: string): never {
  throw badField(`The slot cannot be booked: ${message}`, field, message, {
    code: `validation_${reason}`,
    reason,
  })
}
