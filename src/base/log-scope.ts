import { AsyncLocalStorage } from 'node:async_hooks'

export type LogFields = Record<string, unknown>

const scope = new AsyncLocalStorage<LogFields>()

/**
 * Runs `work`; each line logged by it, or later by an operation that it starts, also has `fields`. They
 * replace the fields of an enclosing scope: pass {} for anything that outlives its cause, such as a
 * connection.
 */
export function withLogFields<T>(fields: LogFields, work: () => T): T {
  return scope.run(fields, work)
}

/** The fields of the current scope. */
export function scopeFields(): LogFields {
  return scope.getStore() ?? {}
}
