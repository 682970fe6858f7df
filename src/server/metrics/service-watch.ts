import * as v from 'valibot'
import { type Clock, type Log, Loop, MINUTE_MS, toTimestamp } from '../../base/index.ts'
import type { Database } from '../../db/index.ts'
import { announceFigure } from '../../db/store/maintenance/index.ts'
import type { LiveConfig } from '../config/live-config.ts'
import { defineRoute, type Route } from '../http/route.ts'
import { described } from '../http/schema.ts'
import { readable, UNREADABLE, unreadableIn } from './exposition.ts'
import { describeFigure, type Figure, readFigures } from './figures.ts'
import type { Metrics } from './metrics.ts'
import type { RequestTimes } from './request-times.ts'

const INTERVAL_MS = MINUTE_MS
/** Distance of the values that are kept, and how many of each figure: a day. */
const STEP_MS = 5 * MINUTE_MS
const KEPT = 288

interface WatchDependencies {
  db: Pick<Database, 'write' | 'shared'>
  metrics: Pick<Metrics, 'read'>
  requests: RequestTimes
  live: Pick<LiveConfig, 'current'>
  clock: Clock
  log: Log
}

/** Values of all figures at one time, ms since the epoch. */
interface Sample {
  at: number
  values: ReadonlyMap<string, number | null>
}

/**
 * Compares the figures of the service with their limits each minute and announces what stays beyond for a
 * minute to webhooks and superusers: drivers need some seconds to connect again after a start. Keeps a value
 * of each figure every 5 minutes for a day. In memory: after a restart the history begins again, and what is
 * beyond its limit is announced once more.
 */
export class ServiceWatch {
  readonly loop: Loop
  readonly #dependencies: WatchDependencies
  /** Since when a figure is beyond its limit, ms since the epoch. */
  readonly #beyond = new Map<string, number>()
  readonly #announced = new Set<string>()
  #history: Sample[] = []

  constructor(dependencies: WatchDependencies) {
    this.#dependencies = dependencies
    const { clock, log } = dependencies
    this.loop = new Loop({
      name: 'service watch',
      summary: 'Compare the figures of the service with their limits',
      clock,
      log,
      intervalMs: INTERVAL_MS,
      runOnce: () => this.#check(),
    })
  }

  /** The figures now, with their course over the last day, and the servers that share the database. */
  async describe() {
    const { shared } = this.#dependencies.db
    const { figures, unreadable } = await this.#read()
    const standbys = shared && (await readable(() => shared.standbys()))
    return {
      figures: figures.map((figure) => {
        const since = this.#beyond.get(figure.metric)
        return {
          ...figure,
          is_beyond: figure.is_read ? figure.is_beyond : since !== undefined,
          since: since === undefined ? '' : toTimestamp(since),
          history: this.#history.map(({ values }) => values.get(figure.metric) ?? null),
        }
      }),
      unreadable,
      times: this.#history.map(({ at }) => at),
      leadership:
        shared && standbys
          ? { epoch: shared.epoch, standbys: 'problem' in standbys ? null : standbys }
          : null,
      slowest: this.#dependencies.requests
        .slowest()
        .map(({ route, ms, at }) => ({ route, ms: Math.round(ms), at: toTimestamp(at) })),
    }
  }

  async #check(): Promise<void> {
    const { db, clock } = this.#dependencies
    const { figures, unreadable } = await this.#read()
    const now = clock.now()
    this.#keep(figures, now)
    // What cannot be read is neither beyond its limit nor within it again.
    const known = figures.filter((figure) => figure.is_read)
    for (const { metric, is_beyond } of known) {
      if (!is_beyond) this.#beyond.delete(metric)
      else if (!this.#beyond.has(metric)) this.#beyond.set(metric, now)
    }
    const stays = ({ metric }: Figure) => now - (this.#beyond.get(metric) ?? now) >= INTERVAL_MS
    const crossed = known.filter((figure) =>
      this.#announced.has(figure.metric) ? !figure.is_beyond : stays(figure),
    )
    if (crossed.length === 0) return
    await db.write('announce figures of the service', (tx) => {
      for (const figure of crossed) {
        const { metric, value, from, below, is_beyond: isBeyond } = figure
        const kind = isBeyond ? 'service.breached' : 'service.cleared'
        announceFigure(
          tx,
          kind,
          { metric, value, from, below },
          describeFigure(figure) + reasonsFor(metric, unreadable),
        )
      }
    })
    for (const { metric, is_beyond } of crossed) {
      if (is_beyond) this.#announced.add(metric)
      else this.#announced.delete(metric)
    }
  }

  async #read() {
    const { metrics, live } = this.#dependencies
    const found = await metrics.read()
    return { figures: readFigures(found, live.current.serviceLimits), unreadable: unreadableIn(found) }
  }

  #keep(figures: readonly Figure[], now: number): void {
    const last = this.#history.at(-1)
    if (last && now - last.at < STEP_MS) return
    const values = new Map(figures.map(({ metric, value }) => [metric, value]))
    this.#history = [...this.#history, { at: now, values }].slice(-KEPT)
  }
}

/** `: svc_jobs (PostgreSQL refuses: …)` for the number of metrics that cannot be read. */
function reasonsFor(metric: string, unreadable: ReturnType<typeof unreadableIn>): string {
  if (metric !== UNREADABLE || unreadable.length === 0) return ''
  return `: ${unreadable.map((each) => `${each.metric} (${each.reason})`).join(', ')}`
}

const nullable = (text: string) => described(v.nullable(v.number()), text)

/** The state of the service for operators. */
export function serviceRoutes(watch: ServiceWatch): Route[] {
  return [
    defineRoute('GET /api/op/service', {
      access: 'superuser',
      isOperation: true,
      summary: 'Retrieve the figures of the service with their limits and their course over the last day',
      response: v.object({
        figures: v.array(
          v.object({
            metric: described(v.string(), 'Name in GET /metrics, with labels if it has some'),
            title: v.string(),
            value: nullable('Null = it cannot be read, or infinite'),
            is_read: described(v.boolean(), 'False: `unreadable` says why'),
            from: nullable('The value from which on it needs attention; null = none'),
            below: nullable('The value below which it needs attention; null = none'),
            is_beyond: described(v.boolean(), 'If it cannot be read, whether it was beyond before'),
            since: described(v.string(), 'When that was noticed, UTC; empty while it is within'),
            history: described(v.array(v.nullable(v.number())), 'At `times`'),
          }),
        ),
        unreadable: described(
          v.array(v.object({ metric: v.string(), reason: v.string() })),
          'Metrics that cannot be read, of these figures and others',
        ),
        times: described(v.array(v.number()), 'Unix ms, every 5 minutes since the start, a day'),
        leadership: described(
          v.nullable(
            v.object({
              epoch: described(v.number(), 'How often a server has begun to lead'),
              standbys: described(
                v.nullable(v.array(v.string())),
                'Base URLs of the servers on standby, cut to 51 characters; at most 100; null = they cannot be read',
              ),
            }),
          ),
          'Null unless several servers can share the database, of which this one leads',
        ),
        slowest: described(
          v.array(v.object({ route: v.string(), ms: v.number(), at: v.string() })),
          'The slowest request of the 10 slowest routes of the last one to two hours',
        ),
      }),
      run: () => watch.describe(),
    }),
  ]
}
