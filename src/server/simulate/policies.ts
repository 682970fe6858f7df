import { compareFair } from '../../db/store/accounts/index.ts'

/** What a policy may use of a pending job. */
interface Candidate {
  /** Position in the order of submission. */
  seq: number
  owner: {
    /** QPU time in ms that the user's jobs used in the window, those that run included. */
    recentUse(now: number): number
  }
}

/** A way to choose the next job of a QPU, for comparison with others. */
export interface Policy {
  name: string
  /** Description for users. */
  help: string
  /** Whether the booker of the current slot goes first and others wait for the idle threshold. */
  respectsBookings: boolean
  /** Negative if `one` runs before `other` at `now`; called for jobs whose order no booking decides. */
  compare(one: Candidate, other: Candidate, now: number): number
}

function bySubmission(one: Candidate, other: Candidate): number {
  return one.seq - other.seq
}

/** To compare another policy, add it here. */
export const POLICIES: readonly Policy[] = [
  {
    name: 'booked',
    help: 'the policy of the server: the booker first, others in order of submission after the idle threshold',
    respectsBookings: true,
    compare: bySubmission,
  },
  {
    name: 'fifo',
    help: 'in order of submission; bookings are ignored',
    respectsBookings: false,
    compare: bySubmission,
  },
  {
    name: 'fair',
    help: 'the policy of the server with --policy fair: as booked, but of the others the user with the least recent QPU time first',
    respectsBookings: true,
    compare: (one, other, now) =>
      compareFair(
        { use: one.owner.recentUse(now), seq: one.seq },
        { use: other.owner.recentUse(now), seq: other.seq },
      ),
  },
]
