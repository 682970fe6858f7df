import { notifications } from '../../collections/notifications.ts'
import { timeSlots } from '../../collections/time_slots.ts'
import type { Tx } from '../../records/tx.ts'
import type { RecordOf } from '../../schema/collection.ts'

/** Slots that a notification lists. */
const MAX_LISTED = 10

/** Removes the slots of a QPU that is being removed, and notifies their owners. */
export function cancelBookingsOf(tx: Tx, { id, name }: { id: string; name: string }): void {
  // Those of years would take long one by one, and concern nobody.
  tx.run('DELETE FROM time_slots WHERE qpu = $id AND end_time <= $at', { id, at: tx.at })
  cancelBookings(tx, name, tx.list(timeSlots, { where: { qpu: id }, sort: 'start_time' }))
}

/** Removes slots because the QPU with this name was removed; owners of those to come are notified. */
export function cancelBookings(tx: Tx, qpu: string, slots: readonly RecordOf<typeof timeSlots>[]): void {
  for (const { id } of slots) tx.remove(timeSlots, id)
  const toCome = slots.filter(({ end_time }) => end_time > tx.at)
  for (const [owner, its] of Map.groupBy(toCome, ({ booked_by }) => booked_by)) {
    const times = its.slice(0, MAX_LISTED).map((slot) => `${slot.start_time} to ${slot.end_time}`)
    const others = its.length > MAX_LISTED ? ` and ${its.length - MAX_LISTED} others` : ''
    tx.insert(notifications, {
      title: `Bookings of ${qpu} were cancelled`,
      description: `The QPU ${qpu} was removed, and with it your bookings from ${times.join(', ')}${others}.`,
      target_users: [owner],
    })
  }
}
