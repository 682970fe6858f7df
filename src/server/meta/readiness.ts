import { AppError, type Clock, type FieldError } from '../../base/index.ts'
import { type Database, probeWrites } from '../../db/index.ts'

/** A part of the server that can say why it does not work; `ailment` answers undefined while it does. */
export interface Vital {
  /** `dispatch`, `https`, … */
  name: string
  ailment(): string | undefined
}

interface ReadinessParts {
  db: Database
  clock: Clock
  vitals: readonly Vital[]
}

/** Anybody may ask, so one write a second has to do for all. */
const PROBE_EVERY_MS = 1_000

/** Whether the server can do its work: the database takes writes, its ports are open, its loops run. */
export class Readiness {
  readonly #parts: ReadinessParts
  #probe: Promise<string | undefined> = Promise.resolve(undefined)
  #probedAt = Number.NEGATIVE_INFINITY

  constructor(parts: ReadinessParts) {
    this.#parts = parts
  }

  /** @throws AppError `unavailable` (`not_ready`) with each reason, by the part that is not ready. */
  async check(): Promise<void> {
    const storage = await this.#probeStorage()
    const ailments = this.#parts.vitals.map((vital) => [vital.name, vital.ailment()] as const)
    const reasons = [['database', storage] as const, ...ailments].flatMap(([name, text]) =>
      text === undefined ? [] : [{ name, text }],
    )
    if (reasons.length === 0) return
    const fields: Record<string, FieldError> = {}
    for (const { name, text } of reasons) fields[name] = { code: 'not_ready', message: text }
    const list = reasons.map(({ name, text }) => `${name}: ${text}`).join('; ')
    throw new AppError('unavailable', `Not ready: ${list}`, { reason: 'not_ready', fields, retryAfter: 1 })
  }

  #probeStorage(): Promise<string | undefined> {
    const now = this.#parts.clock.monotonic()
    if (now - this.#probedAt >= PROBE_EVERY_MS) {
      this.#probedAt = now
      this.#probe = probeWrites(this.#parts.db)
    }
    return this.#probe
  }
}
