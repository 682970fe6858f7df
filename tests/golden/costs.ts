/** What one intent of the store costs. */
export interface Cost {
  /** Pages that one intent alone adds to the write-ahead log. */
  readonly frames: number
  /** The same of 16 intents that share a commit. */
  readonly framesOf16: number
  /** Executions of SQL statements by one intent alone, with BEGIN and COMMIT. */
  readonly statements: number
  /** Tables and indexes whose pages one intent alone changes. */
  readonly trees: number
  /** Waits for the server of PostgreSQL by one intent alone. */
  readonly roundTrips: number
}

/**
 * The costs of the intents that run for each job, each reading and each step of a calibration.
 * `tests/db/store/costs.test.ts` counts them on a database with a history: the middle of several commits.
 * A change that adds an index, a trigger or a look-up to one of them has to raise its number here, and one
 * that removes any has to lower it: `UPDATE_GOLDEN=1 npm test -- tests/db/store/costs.test.ts` writes them.
 */
export const COSTS = {
  /** A job into the queue. Four statements are for its estimate: its job, calibrations, bookings, chips. */
  submit: { frames: 8, framesOf16: 17, statements: 9, trees: 8, roundTrips: 2 },
  /** The next job of an idle QPU is found and claimed. */
  claim: { frames: 3, framesOf16: 7, statements: 11, trees: 3, roundTrips: 2 },
  /**
   * A job ends well. One page and two statements are its provenance: the index by which the jobs of a
   * calibration are found and by which what no job refers to is removed. Three pages are its charge, and one
   * page and one statement are that of its user, with balance and bytes.
   */
  result: { frames: 11, framesOf16: 25, statements: 10, trees: 8, roundTrips: 3 },
  /** A job ends well, and the next one of its QPU is claimed, in one commit. */
  drain: { frames: 10, framesOf16: 28, statements: 20, trees: 9, roundTrips: 4 },
  /** The sums over jobs are written, at most once a second: after one job, and after 16. */
  sums: { frames: 4, framesOf16: 4, statements: 8, trees: 4, roundTrips: 2 },
  /** A running job returns to the queue. */
  requeue: { frames: 8, framesOf16: 19, statements: 11, trees: 7, roundTrips: 7 },
  /** A pending job is cancelled. */
  cancel: { frames: 5, framesOf16: 9, statements: 9, trees: 5, roundTrips: 5 },
  /** An event of a monitor with four readings is stored and added to its series. */
  readings: { frames: 10, framesOf16: 13, statements: 12, trees: 10, roundTrips: 10 },
  /** A tuner reports a step. */
  progress: { frames: 1, framesOf16: 4, statements: 6, trees: 1, roundTrips: 4 },
} as const satisfies Record<string, Cost>
