import { ORDER_COLUMNS } from '../../collections/quantum_jobs.ts'

/** Pending jobs by the index of their users, which SQLite does not choose of its own accord. */
export const PENDING_BY_USER = `quantum_jobs INDEXED BY quantum_jobs_status_user_id_${ORDER_COLUMNS.join('_')}`
