import { ORDER_COLUMNS } from '../../collections/quantum_jobs.ts'
import { ofDialect } from '../../engine/dialect.ts'
import { indexName } from '../../schema/tables.ts'

/** Pending jobs by the index of their users, which the database does not choose of its own accord. */
export const pendingByUser = ofDialect(({ byIndex }) =>
  byIndex('quantum_jobs', indexName('quantum_jobs', ['status', 'user_id', ...ORDER_COLUMNS])),
)
