import { AppError, type Clock, type FieldError } from '../../base/index.ts'
import type { Database } from '../../db/index.ts'
import { probeWrites } from '../../db/store/maintenance/index.ts'
import type { Service } from '../services.ts'

/** The check is public, so one write per second has to serve all callers. */
const PROBE_INTERVAL_MS = 1_000

/** Whether the server can do its work: the database accepts writes, the ports are open, the loops run. */
export class Readiness {
  readonly #services: readonly Pick<Service, 'name' | 'health'>[]

  constructor(services: readonly Pick<Service, 'name' | 'health'>[]) {
    this.#services = services
  }

  /** @throws AppError `unavailable` (`not_ready`) with the problem of each service that does not work. */
  async check(): Promise<void> {
    const problems: (readonly [name: string, problem: string])[] = []
    for (const service of this.#services) {
      const problem = await service.health?.()
      if (problem !== undefined) problems.push([service.name, problem])
    }
    if (problems.length === 0) return
    const fields: Record<string, FieldError> = {}
    for (const [name, problem] of problems) fields[name] = { code: 'not_ready', message: problem }
    const list = problems.map(([name, problem]) => `${name}: ${problem}`).join('; ')
    throw new AppError('unavailable', `Not ready: ${list}`, { reason: 'not_ready', fields, retryAfter: 1 })
  }
}

/** Whether the database accepts writes, tried at most once per second. */
export class StorageHealth {
  readonly #db: Database
  readonly #clock: Clock
  #probe: Promise<string | undefined> = Promise.resolve(undefined)
  #probedAt = Number.NEGATIVE_INFINITY

  constructor(db: Database, clock: Clock) {
    this.#db = db
    this.#clock = clock
  }

  /** Why the database accepts no writes; undefined when it does. */
  check(): Promise<string | undefined> {
    const now = this.#clock.monotonic()
    if (now - this.#probedAt >= PROBE_INTERVAL_MS) {
      this.#probedAt = now
      this.#probe = probeWrites(this.#db)
    }
    return this.#probe
  }
}
