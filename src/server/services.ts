import type { Log, Loop } from '../base/index.ts'

/** A part of the server with a life of its own. One without `start` is up as soon as it is built. */
export interface Service {
  /** Shown in log lines and in the response of the readiness check. */
  readonly name: string
  /** The loop that does its work; one with a summary is a background task. */
  readonly loop?: Loop
  /** A start that throws leaves nothing open. */
  start?(): Promise<void> | void
  stop?(): Promise<void> | void
  /** Why the service does not work, as a phrase that follows its name; undefined while it works. */
  health?(): Promise<string | undefined> | string | undefined
}

/**
 * Starts services in the order of the list and stops them in reverse, so that each may use those before it.
 */
export class ServiceList {
  readonly #services: readonly Service[]
  readonly #log: Log
  readonly #running: Set<Service>
  #stopped: Promise<void> | undefined

  constructor(services: readonly Service[], log: Log) {
    this.#services = services
    this.#log = log
    this.#running = new Set(services.filter(({ start }) => start === undefined))
  }

  /** Starts one service after the other. If a start throws, stops all that run and throws the same error. */
  async start(): Promise<void> {
    for (const service of this.#services) {
      try {
        await service.start?.()
      } catch (error) {
        // Each failure to stop is in the log; the cause is what the caller needs.
        await this.stop().catch(() => undefined)
        throw error
      }
      this.#running.add(service)
    }
  }

  /**
   * Stops all services that run, also past one that fails. Further calls wait for the first.
   * @throws the failure of a service, after all have been stopped; each failure is logged.
   */
  stop(): Promise<void> {
    this.#stopped ??= this.#stopAll()
    return this.#stopped
  }

  async #stopAll(): Promise<void> {
    const failures: unknown[] = []
    for (const service of this.#services.toReversed()) {
      if (!this.#running.delete(service)) continue
      try {
        await service.stop?.()
      } catch (error) {
        this.#log.error('service did not stop cleanly', { service: service.name, error })
        failures.push(error)
      }
    }
    if (failures.length > 0) throw failures[0]
  }
}
