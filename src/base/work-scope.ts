import { AsyncLocalStorage } from 'node:async_hooks'
import { AppError } from './error.ts'

export type LogFields = Record<string, unknown>

interface Scope {
  readonly fields: LogFields
  caller?: string
  client?: Client | undefined
}

/** Who waits for work: a request, whose signal aborts when its connection is closed. */
interface Client {
  readonly signal: AbortSignal
}

const scope = new AsyncLocalStorage<Scope>()

/**
 * Runs `work`; each line logged by it, or later by an operation that it starts, also has `fields`. They
 * replace the fields of an enclosing scope, and its caller: pass {} for anything that outlives its cause,
 * such as a connection.
 */
export function withLogFields<T>(fields: LogFields, work: () => T): T {
  return scope.run({ fields }, work)
}

/** The fields of the current scope. */
export function scopeFields(): LogFields {
  return scope.getStore()?.fields ?? {}
}

/**
 * Names the caller for whom the work of this scope is done from now on, and the client that waits for it, if
 * that is another one.
 */
export function workFor(caller: string, client?: Client): void {
  const own = scope.getStore()
  if (own) Object.assign(own, { caller, ...(client && { client }) })
}

/** The caller for whom this work is done; undefined for work of the service itself. */
export function workingFor(): string | undefined {
  return scope.getStore()?.caller
}

/**
 * Call it after work has waited: what nobody waits for any more would only delay others.
 * @throws AppError `unavailable` when its client has left.
 */
export function assertAwaited(): void {
  if (scope.getStore()?.client?.signal.aborted) {
    throw new AppError('unavailable', 'The client has closed its connection')
  }
}

/** The work of this scope has changed something and is done to its end, even if its client leaves. */
export function mustEnd(): void {
  const own = scope.getStore()
  if (own) own.client = undefined
}
