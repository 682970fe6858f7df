import { allOf } from '../../engine/query.ts'
import type { Qpu } from './queue/job-order.ts'
import { type OrderReading, QpuQueue } from './queue/qpu-queue.ts'
import { type HoldingSession, holdingSession } from './queue/sessions-of-qpu.ts'

/** What occupies a QPU now, with names: the caller decides who sees what. */
export interface Occupancy {
  /** Number of queued jobs that this QPU can run. */
  queueLength: number
  /**
   * The running job, its owner, when it was claimed (UTC text), and the longest run in ms that earlier ones
   * let expect; 0 = nothing measured.
   */
  running:
    | { job: string; name: string; user: string; email: string; since: string; longestMs: number }
    | undefined
  /** The present booking; `until` is UTC text. */
  holder: { user: string; username: string; email: string; until: string } | undefined
  /** The session whose jobs go first now. */
  session: HoldingSession | undefined
  /** From when nobody has booked it, UTC text; the present time if it is not booked now. */
  nextFree: string
}

/** Bookings that are read, of all QPUs together. */
const MAX_SLOTS = 1_000

interface Slot {
  qpu: string
  user: string
  username: string
  email: string
  start: string
  end: string
}

type Running = NonNullable<Occupancy['running']> & { qpu: string }

/**
 * Reads what occupies each of these QPUs. The cost does not depend on the length of the queues: one running
 * job for each QPU, and the bookings that have not ended.
 */
export function readOccupancy(reading: OrderReading, listed: readonly Qpu[]): Map<string, Occupancy> {
  const { slots, running } = reading.tx.read({
    slots: allOf<Slot>(
      `SELECT slot.qpu, slot.booked_by AS "user", coalesce(booker.username, '') AS username,
         coalesce(booker.email, '') AS email, slot.start_time AS start, slot.end_time AS "end"
       FROM time_slots slot LEFT JOIN users booker ON booker.id = slot.booked_by
       WHERE slot.end_time > $at ORDER BY slot.end_time LIMIT ${MAX_SLOTS}`,
    ),
    running: allOf<Running>(
      `SELECT job.qpu, job.id AS job, job.name, job.user_id AS "user", coalesce(owner.email, '') AS email,
         job.claimed_at AS since,
         CASE WHEN job.quote_basis IN ('', 'assumed') THEN 0 ELSE job.quote_run_to END AS "longestMs"
       FROM quantum_jobs job LEFT JOIN users owner ON owner.id = job.user_id WHERE job.status = 'running'`,
    ),
  })
  const jobs = new Map(running.map(({ qpu, ...job }) => [qpu, job]))
  return new Map(listed.map((qpu) => [qpu.id, occupancyOf(reading, qpu, slots, jobs.get(qpu.id))]))
}

function occupancyOf(
  reading: OrderReading,
  qpu: Qpu,
  slots: readonly Slot[],
  running: Occupancy['running'],
): Occupancy {
  const { at } = reading.tx
  const own = slots.filter((slot) => slot.qpu === '' || slot.qpu === qpu.id)
  const present = own.find((slot) => slot.start <= at)
  return {
    queueLength: new QpuQueue(reading, qpu).count(),
    running,
    holder: present && {
      user: present.user,
      username: present.username,
      email: present.email,
      until: present.end,
    },
    session: holdingSession(reading, qpu),
    nextFree: freeAfter(own, at),
  }
}

/** The end of the bookings that follow one another without a gap from a time on; `slots` are in order. */
function freeAfter(slots: readonly Slot[], at: string): string {
  return slots.reduce((free, slot) => (slot.start <= free ? slot.end : free), at)
}
