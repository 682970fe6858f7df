import type { Attempt, TimelineEntry } from '../api/model/jobs.ts'

const EVENTS: Record<string, string> = {
  submitted: 'Submitted',
  claimed: 'Sent to the driver',
  undelivered: 'Not delivered, back in the queue',
  started: 'Started',
  lost: 'Driver lost, back in the queue',
  requeued: 'Requeued by an operator',
  held: 'Held by an operator',
  released: 'Released by an operator',
  moved_to_front: 'Moved to the front of the queue by an operator',
  moved: 'Moved by an operator',
  device_error: 'Device error, back in the queue',
  completed: 'Completed',
  failed: 'Failed',
  cancelled: 'Cancelled',
  imported: 'Imported',
}

/** What an event of the timeline means. */
export function describeEvent({ event }: Pick<TimelineEntry, 'event'>): string {
  return EVENTS[event] ?? event.replaceAll('_', ' ')
}

const ATTEMPTS: Record<string, string> = {
  open: 'runs',
  ok: 'accepted',
  error: 'device error',
  lost: 'driver lost',
  undelivered: 'not delivered',
  requeued: 'requeued',
}

/** How an attempt ended. */
export function describeAttempt({ state }: Pick<Attempt, 'state'>): string {
  return ATTEMPTS[state] ?? state
}
