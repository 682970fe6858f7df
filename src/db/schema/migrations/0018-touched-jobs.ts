import type { Migration } from '../migrate.ts'

/**
 * Recalls in force of builds that did not store which jobs they have touched are settled again, which stores
 * them and refunds nothing twice; without, their withdrawal would deduct nothing.
 */
export const touchedJobs: Migration = {
  id: 18,
  name: 'touched-jobs',
  statements: [
    {
      table: 'recalls',
      statement: `UPDATE recalls SET settled = 0, cursor_at = from_at, cursor_job = '' WHERE undone_at = ''`,
    },
  ],
}
