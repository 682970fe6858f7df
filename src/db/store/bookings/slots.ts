import { AppError, newId, notFound } from '../../../base/index.ts'
import { type Times, timeSlots } from '../../collections/time_slots.ts'
import type { ReadTx, Tx } from '../../records/tx.ts'
import type { RecordOf } from '../../schema/collection.ts'

export type TimeSlot = RecordOf<typeof timeSlots>

/** Slots to book for a user; `qpu` '' = every QPU. */
interface NewSlots {
  user: string
  qpu: string
  slots: readonly Times[]
}

/** Books all slots or none; several become a series. @throws AppError of the overlap or of a bad time. */
export function bookSlots(tx: Tx, { user, qpu, slots }: NewSlots): TimeSlot[] {
  const series = slots.length > 1 ? newId(tx.now) : ''
  return slots.map((times) => tx.insert(timeSlots, { ...times, booked_by: user, qpu, series }))
}

/** The slot, if `user` booked it or is undefined. @throws AppError `not_found`, also for slots of others. */
export function requireSlot(tx: ReadTx, id: string, user: string | undefined): TimeSlot {
  const slot = tx.find(timeSlots, id)
  if (!slot || (user !== undefined && slot.booked_by !== user)) {
    throw notFound()
  }
  return slot
}

/** Removes a slot and the later ones of its series with the same owner; returns their number. */
export function cancelFollowing(tx: Tx, { id, series, start_time, booked_by }: TimeSlot): number {
  const later = tx.all<{ id: string }>(
    `SELECT id FROM time_slots WHERE series = $series AND series <> '' AND start_time > $start AND booked_by = $owner`,
    { series, start: start_time, owner: booked_by },
  )
  for (const slot of [{ id }, ...later]) tx.remove(timeSlots, slot.id)
  return later.length + 1
}

/** Ends a slot that is running now. @throws AppError `conflict` (`slot_not_running`). */
export function endSlot(tx: Tx, slot: TimeSlot): TimeSlot {
  if (slot.start_time >= tx.at || slot.end_time <= tx.at) {
    const message = `The slot is from ${slot.start_time} to ${slot.end_time}; only a running slot can be ended`
    throw new AppError('conflict', message, { reason: 'slot_not_running' })
  }
  return tx.update(timeSlots, slot.id, { end_time: tx.at }) ?? slot
}
