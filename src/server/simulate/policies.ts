/** A pending job as far as policies may look at it. */
export interface Candidate {
  /** Place in the order of submission. */
  seq: number
  owner: {
    /** QPU time used of late, ms; what is an hour old counts half. */
    recentUse(now: number): number
  }
}

/** A way to choose the next job of a QPU, to be compared with others. */
export interface Policy {
  name: string
  /** What it does, for people. */
  help: string
  /** Whether the holder of the current booking goes first and is waited for. */
  respectsBookings: boolean
  /** Negative when `one` goes before `other` at `now`; asked of jobs that bookings do not decide. */
  compare(one: Candidate, other: Candidate, now: number): number
}

function bySubmission(one: Candidate, other: Candidate): number {
  return one.seq - other.seq
}

/** To compare another policy, add it here. */
export const POLICIES: readonly Policy[] = [
  {
    name: 'booked',
    help: 'what the server does: the booker first, others in order of submission after the idle threshold',
    respectsBookings: true,
    compare: bySubmission,
  },
  {
    name: 'fifo',
    help: 'in order of submission; bookings count for nothing',
    respectsBookings: false,
    compare: bySubmission,
  },
  {
    name: 'fair',
    help: 'as booked, but among the others the user first who used the least QPU time of late',
    respectsBookings: true,
    compare: (one, other, now) =>
      one.owner.recentUse(now) - other.owner.recentUse(now) || bySubmission(one, other),
  },
]
