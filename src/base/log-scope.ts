import { AsyncLocalStorage } from 'node:async_hooks'

export type LogFields = Record<string, unknown>

const scope = new AsyncLocalStorage<LogFields>()

/**
 * Runs `work`; each line that it and what it begins log, whenever that is, has `fields` too. They replace those of a
 * scope around it: with {} a thing that outlives its cause, such as a connection, has none.
 */
export function withLogFields<T>(fields: LogFields, work: () => T): T {
  return scope.run(fields, work)
}

/** The fields of the work under way. */
export function scopeFields(): LogFields {
  return scope.getStore() ?? {}
}
