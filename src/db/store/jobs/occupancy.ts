import type { ReadTx } from '../../records/tx.ts'
import type { JobOrder, Qpu } from './queue/job-order.ts'
import { OrderReading, QpuQueue } from './queue/qpu-queue.ts'

/** What occupies a QPU now, with names: the caller decides who sees what. */
export interface Occupancy {
  /** Number of queued jobs that this QPU can run. */
  queueLength: number
  /** The running job, its owner and when it was claimed (UTC text). */
  running: { job: string; name: string; user: string; email: string; since: string } | undefined
  /** The present booking; `until` is UTC text. */
  holder: { user: string; username: string; email: string; until: string } | undefined
  /** From when nobody has booked it, UTC text; the present time if it is not booked now. */
  nextFree: string
}

/** Bookings that are read, of all QPUs together. */
const MAX_SLOTS = 1_000

interface Slot {
  qpu: string
  user: string
  start: string
  end: string
}

/**
 * Reads what occupies each of these QPUs. The cost does not depend on the length of the queues: one running
 * job for each QPU, and the bookings that have not ended.
 */
export function readOccupancy(tx: ReadTx, listed: readonly Qpu[], order: JobOrder): Map<string, Occupancy> {
  const slots = tx.all<Slot>(
    `SELECT qpu, booked_by AS "user", start_time AS start, end_time AS "end" FROM time_slots
     WHERE end_time > $at ORDER BY end_time LIMIT ${MAX_SLOTS}`,
    { at: tx.at },
  )
  const reading = new OrderReading(order, tx)
  return new Map(listed.map((qpu) => [qpu.id, occupancyOf(reading, qpu, slots)]))
}

function occupancyOf(reading: OrderReading, qpu: Qpu, slots: readonly Slot[]): Occupancy {
  const { tx } = reading
  const own = slots.filter((slot) => slot.qpu === '' || slot.qpu === qpu.id)
  const present = own.find((slot) => slot.start <= tx.at)
  return {
    queueLength: new QpuQueue(reading, qpu).count(),
    running: tx.one(
      `SELECT job.id AS job, job.name, job.user_id AS "user", coalesce(owner.email, '') AS email, job.claimed_at AS since
       FROM quantum_jobs job LEFT JOIN users owner ON owner.id = job.user_id
       WHERE job.status = 'running' AND job.qpu = $qpu`,
      { qpu: qpu.id },
    ),
    holder: present && { user: present.user, ...namesOf(tx, present.user), until: present.end },
    nextFree: freeAfter(own, tx.at),
  }
}

function namesOf(tx: ReadTx, user: string): { username: string; email: string } {
  const row = tx.one<{ username: string; email: string }>(
    'SELECT username, email FROM users WHERE id = $user',
    { user },
  )
  return row ?? { username: '', email: '' }
}

/** The end of the bookings that follow one another without a gap from a time on; `slots` are in order. */
function freeAfter(slots: readonly Slot[], at: string): string {
  return slots.reduce((free, slot) => (slot.start <= free ? slot.end : free), at)
}
