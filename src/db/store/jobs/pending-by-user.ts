import { ORDER_COLUMNS } from '../../collections/quantum_jobs.ts'
import { byIndex } from '../../engine/dialect.ts'
import { indexName } from '../../schema/tables.ts'

/** Pending jobs by the index of their users, which SQLite does not choose of its own accord. */
export const PENDING_BY_USER = byIndex(
  'quantum_jobs',
  indexName('quantum_jobs', ['status', 'user_id', ...ORDER_COLUMNS]),
)
