import { AppError } from '../../../base/index.ts'
import { type TimeSlot, timeSlots } from '../../../db/store/bookings/index.ts'
import { sessions } from '../../../db/store/sessions/index.ts'
import { assertFree } from '../../bookings/bookable.ts'
import { defineBehavior, type Step } from '../behavior.ts'

/** Bookings of users: in the future, limited in length and lead time, and fixed once they have begun. */
export const timeSlotsBehavior = defineBehavior(timeSlots, {
  owner: 'booked_by',
  async prepare({ service, caller }) {
    if (caller.kind === 'user') service.slots.take(caller.user.id)
    return undefined
  },
  created(step, slot) {
    if (!step.isSuperuser) assertFreeNow(step, slot)
  },
  updating: (step, before) => assertNotBegun(step, before),
  updated(step, before, after) {
    const isMoved = before.start_time !== after.start_time || before.end_time !== after.end_time
    if (isMoved && !step.isSuperuser) assertFreeNow(step, after)
  },
  removing: (step, slot) => assertNotBegun(step, slot),
})

function assertFreeNow({ tx, service }: Step, slot: TimeSlot): void {
  assertFree(tx, { qpu: slot.qpu, user: slot.booked_by, slots: [slot] }, service.context.config)
}

function assertNotBegun({ tx, isSuperuser }: Step, slot: { start_time: string }): void {
  if (isSuperuser || slot.start_time > tx.at) return
  throw new AppError('invalid', 'The time slot has begun, so it can no longer be changed or deleted', {
    reason: 'slot_started',
  })
}

/** The QPU is also held by sessions, which only their own routes change, as charges follow from them. */
export const sessionsBehavior = defineBehavior(sessions, {
  creating: refuse,
  updating: refuse,
  removing: refuse,
})

function refuse(): never {
  throw new AppError(
    'forbidden',
    'Sessions are read only here: open one with POST /api/sessions, end it with DELETE /api/sessions/{id}, which takes a reason',
  )
}
