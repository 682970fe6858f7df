import { type Clock, HOUR_MS, MINUTE_MS } from '../../base/index.ts'
import type { Finished } from '../http/app.ts'

/** Minutes over which the share of errors is taken. */
const ERROR_MINUTES = 5
/** Routes that are listed as the slowest ones. */
const LISTED = 10

/** The longest duration of a route; `at` in ms since the epoch. */
interface SlowRequest {
  route: string
  ms: number
  at: number
}

/** How many responses were errors in the last minutes, and which routes took longest in the last hours. */
export class RequestTimes {
  readonly #clock: Clock
  /** A ring: the minute `m` is at `m % ERROR_MINUTES`. */
  readonly #minutes = Array.from({ length: ERROR_MINUTES }, () => ({ minute: -1, all: 0, errors: 0 }))
  /** By route, of which there are as many as are declared: this hour and the one before. */
  #slowest = [new Map<string, SlowRequest>(), new Map<string, SlowRequest>()] as const
  #hour = 0

  constructor(clock: Clock) {
    this.#clock = clock
  }

  /** Counts a response. */
  add({ method, path, status, ms }: Finished): void {
    const at = this.#clock.now()
    const minute = this.#minuteOf(at)
    minute.all += 1
    if (status >= 500) minute.errors += 1
    this.#turn(at)
    const route = `${method} ${path}`
    const [slowest] = this.#slowest
    if (ms > (slowest.get(route)?.ms ?? -1)) slowest.set(route, { route, ms, at })
  }

  /** The share of responses with a status from 500 on in the last 5 minutes; 0 without responses. */
  errorShare(): number {
    const first = Math.floor(this.#clock.now() / MINUTE_MS) - ERROR_MINUTES + 1
    const recent = this.#minutes.filter(({ minute }) => minute >= first)
    const all = recent.reduce((sum, each) => sum + each.all, 0)
    return all === 0 ? 0 : recent.reduce((sum, each) => sum + each.errors, 0) / all
  }

  /** The slowest request of each of the 10 slowest routes of this hour and the one before. */
  slowest(): SlowRequest[] {
    this.#turn(this.#clock.now())
    const [now, before] = this.#slowest
    const routes = new Map(before)
    for (const [route, each] of now) if (each.ms >= (routes.get(route)?.ms ?? 0)) routes.set(route, each)
    return [...routes.values()].sort((a, b) => b.ms - a.ms).slice(0, LISTED)
  }

  #minuteOf(at: number) {
    const minute = Math.floor(at / MINUTE_MS)
    const place = minute % ERROR_MINUTES
    const found = this.#minutes[place]
    if (found?.minute === minute) return found
    const fresh = { minute, all: 0, errors: 0 }
    this.#minutes[place] = fresh
    return fresh
  }

  #turn(at: number): void {
    const hour = Math.floor(at / HOUR_MS)
    if (hour === this.#hour) return
    this.#slowest = [new Map(), hour === this.#hour + 1 ? this.#slowest[0] : new Map()]
    this.#hour = hour
  }
}
