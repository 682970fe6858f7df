import type { Clock } from '../../base/index.ts'

/** Time from the first connect in which a claimant attaches; after that the lease is released. */
const ATTACH_TIMEOUT_MS = 30_000
/** A claimant that asked within this time waits for the lease. */
const WAITS_FOR_MS = 60_000

interface Claimant {
  name: string
  /** Monotonic ms, like all times here: the last connect. */
  askedAt: number
  /** First connect of the present turn that was granted. */
  since?: number | undefined
  /** End of the last turn without attach. */
  failedAt?: number | undefined
}

/** A driver process that asks for the lease of its driver's operation of a QPU. */
interface Process {
  /** Id of the driver. */
  driver: string
  name: string
  qpu: string
  operation: string
  /** Older drivers do not send it. */
  instance: string | undefined
}

/**
 * Who may hold a lease without having attached: drivers take turns of 30 s, counted from the first connect
 * however often it is repeated, and so do the processes of one driver. The one that failed least recently
 * goes first, and one that never failed does not wait for the turn of one that did.
 */
export class AttachTurns {
  readonly #clock: Clock
  /** By what is claimed and by whom. */
  readonly #claims = new Map<string, Map<string, Claimant>>()

  constructor(clock: Clock) {
    this.#clock = clock
  }

  /** Records that a process asks for the lease. Returns who goes first, if another driver or process does. */
  ask(process: Process): string | undefined {
    const { driver, name, instance = '' } = process
    return (
      this.#ask(roleOf(process), driver, `driver ${name}`) ??
      this.#ask(driver, instance, `another process of driver ${name}`)
    )
  }

  /** Whether a holder that has not attached leaves the lease to another process now. */
  yields(holder: Process, to: Process): boolean {
    if (holder.driver === to.driver) {
      return this.#yields(holder.driver, holder.instance ?? '', to.instance ?? '')
    }
    const role = roleOf(holder)
    return role === roleOf(to) && this.#yields(role, holder.driver, to.driver)
  }

  /** Records that a process has the lease; returns the ms that it has left to attach. */
  granted(process: Process): number {
    const now = this.#clock.monotonic()
    const starts = claimsOf(process).map(([claim, id]) => {
      const claimant = this.#find(claim, id)
      if (claimant) claimant.since ??= now
      return claimant?.since ?? now
    })
    return Math.min(...starts) + ATTACH_TIMEOUT_MS - now
  }

  attached(process: Process): void {
    for (const [claim, id] of claimsOf(process)) this.#claims.get(claim)?.delete(id)
  }

  #ask(claim: string, id: string, name: string): string | undefined {
    const now = this.#clock.monotonic()
    const claimants = this.#claims.get(claim) ?? new Map<string, Claimant>()
    this.#claims.set(claim, claimants)
    for (const other of claimants.keys()) {
      const known = this.#find(claim, other)
      if (known && now - known.askedAt >= WAITS_FOR_MS && other !== id) claimants.delete(other)
    }
    const own = claimants.get(id) ?? { name, askedAt: now }
    own.askedAt = now
    claimants.set(id, own)
    if (own.since !== undefined) return undefined
    return [...claimants.values()].find((other) => lastFailure(other) < lastFailure(own))?.name
  }

  #yields(claim: string, holder: string, to: string): boolean {
    const held = this.#find(claim, holder)
    if (held?.failedAt === undefined || holder === to) return false
    return held.since === undefined || this.#find(claim, to)?.failedAt === undefined
  }

  /** A claimant, whose turn has ended if its time is up. */
  #find(claim: string, id: string): Claimant | undefined {
    const claimant = this.#claims.get(claim)?.get(id)
    const now = this.#clock.monotonic()
    if (claimant?.since !== undefined && now - claimant.since >= ATTACH_TIMEOUT_MS) {
      claimant.failedAt = now
      claimant.since = undefined
    }
    return claimant
  }
}

/** A lease is for one operation of one QPU. */
function roleOf({ qpu, operation }: Process): string {
  return `${qpu} ${operation}`
}

function claimsOf(process: Process): [claim: string, id: string][] {
  return [
    [roleOf(process), process.driver],
    [process.driver, process.instance ?? ''],
  ]
}

function lastFailure({ failedAt = Number.NEGATIVE_INFINITY }: Claimant): number {
  return failedAt
}
