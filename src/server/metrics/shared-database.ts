import { type Clock, MINUTE_MS } from '../../base/index.ts'
import type { SharedDatabase } from '../../db/index.ts'
import { Histogram, type Metric, metric, readable } from './exposition.ts'

/** Histogram bounds of a wait for the database, in s; the server exits after 2. */
const WAIT_BOUNDS = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2]

/** The longest wait is that of these last minutes at least, and of twice as many at most. */
const SPAN_MS = 5 * MINUTE_MS

/** Whether this server, of those that share a database, leads. */
export function ofLeader(isLeading: boolean): Metric {
  return metric('svc_leader', '1 while this server leads, 0 on standby', isLeading ? 1 : 0)
}

/** How long the event loop waits for a database that several servers share. */
export class DatabaseWaits {
  readonly #clock: Clock
  readonly #waits = new Histogram(WAIT_BOUNDS)
  /** In s, of this span and of the one before. */
  #longest: readonly [number, number] = [0, 0]
  #span = 0

  constructor(clock: Clock) {
    this.#clock = clock
  }

  /** Counts a wait, in ms. */
  observe(ms: number): void {
    this.#turn()
    this.#waits.observe(ms / 1_000)
    this.#longest = [Math.max(this.#longest[0], ms / 1_000), this.#longest[1]]
  }

  /** What the server that leads knows of the database and of the other servers. */
  async read({ epoch, standbys, replicaLagBytes, clockDifferenceMs }: SharedDatabase): Promise<Metric[]> {
    this.#turn()
    const [found, lag, difference] = await Promise.all([
      readable(async () => (await standbys()).length),
      readable(replicaLagBytes),
      readable(async () => Math.abs(await clockDifferenceMs()) / 1_000),
    ])
    return [
      ofLeader(true),
      metric('svc_leader_epoch', 'How often a server has begun to lead, this one included', epoch),
      metric('svc_standbys', 'Servers on standby', found),
      metric(
        'svc_database_clock_seconds',
        'Difference between the clocks of PostgreSQL and of this server, without its sign',
        difference,
      ),
      this.#waits.read('svc_database_wait_seconds', 'Time for which the event loop waited for the database'),
      metric(
        'svc_database_longest_wait_seconds',
        'Longest of these waits in the last 5 to 10 minutes',
        Math.max(...this.#longest),
      ),
      ...(lag === undefined
        ? []
        : [
            metric(
              'svc_database_replica_lag_bytes',
              'Bytes of the log of PostgreSQL that its slowest replica has not stored; for members of pg_monitor',
              lag,
            ),
          ]),
    ]
  }

  #turn(): void {
    const span = Math.floor(this.#clock.now() / SPAN_MS)
    if (span === this.#span) return
    this.#longest = [0, span === this.#span + 1 ? this.#longest[0] : 0]
    this.#span = span
  }
}
