import type { AnyCollection } from '../../db/index.ts'
import type { Config } from '../config.ts'
import type { Caller } from './caller.ts'

/** Whether a caller may read a record: the one place that decides it. */
export function mayRead(
  collection: AnyCollection,
  record: Readonly<Record<string, unknown>>,
  caller: Caller,
  config: Pick<Config, 'jobsVisibility'>,
): boolean {
  if (caller.kind === 'superuser') return true
  switch (collection.name) {
    case 'qpus':
      return true
    case 'quantum_jobs':
      return (
        config.jobsVisibility === 'public' || (caller.kind === 'user' && record['user_id'] === caller.user.id)
      )
    default:
      return false
  }
}
