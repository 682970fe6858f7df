import { AsyncLocalStorage } from 'node:async_hooks'

export type LogFields = Record<string, unknown>

interface Scope {
  readonly fields: LogFields
  caller?: string
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

/** Names the caller for whom the work of this scope is done from now on. */
export function workFor(caller: string): void {
  const own = scope.getStore()
  if (own) own.caller = caller
}

/** The caller for whom this work is done; undefined for work of the service itself. */
export function workingFor(): string | undefined {
  return scope.getStore()?.caller
}
