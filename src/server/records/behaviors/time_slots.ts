import { AppError, formatDuration, fromTimestamp, toTimestamp } from '../../../base/index.ts'
import { timeSlots } from '../../../db/index.ts'
import { defineBehavior, type Step } from '../behavior.ts'

/** Bookings of users: in the future, limited in length and lead time, and fixed once they have begun. */
export const timeSlotsBehavior = defineBehavior(timeSlots, {
  owner: 'booked_by',
  created(step, slot) {
    if (!step.isSuperuser) assertBookable(step, slot)
  },
  updating: (step, before) => assertNotBegun(step, before),
  updated(step, before, after) {
    const isMoved = before.start_time !== after.start_time || before.end_time !== after.end_time
    if (isMoved && !step.isSuperuser) assertBookable(step, after)
  },
  removing: (step, slot) => assertNotBegun(step, slot),
})

interface Slot {
  start_time: string
  end_time: string
}

function assertNotBegun({ tx, isSuperuser }: Step, slot: Slot): void {
  if (isSuperuser || slot.start_time > tx.at) return
  throw new AppError('invalid', 'The time slot has begun, so it can no longer be changed or deleted', {
    reason: 'slot_started',
  })
}

function assertBookable({ tx, service }: Step, { start_time, end_time }: Slot): void {
  const { maxSlotLength, maxSlotAhead } = service.context.config
  const [start, end] = [fromTimestamp(start_time) ?? 0, fromTimestamp(end_time) ?? 0]
  if (start < tx.now) {
    refuse('slot_in_past', 'start_time', `${start_time} is in the past; it is ${tx.at} now.`)
  }
  if (end - start > maxSlotLength) {
    refuse('slot_too_long', 'end_time', `It must not be longer than ${formatDuration(maxSlotLength)}.`)
  }
  if (start > tx.now + maxSlotAhead) {
    const latest = toTimestamp(tx.now + maxSlotAhead)
    refuse('slot_too_far_ahead', 'start_time', `It must not begin after ${latest}.`)
  }
}

function refuse(reason: string, field: string, message: string): never {
  throw new AppError('invalid', `The slot cannot be booked: ${message}`, {
    reason,
    fields: { [field]: { code: `validation_${reason}`, message } },
  })
}
