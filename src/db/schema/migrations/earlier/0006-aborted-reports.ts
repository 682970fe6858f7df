import type { Migration } from '../../migrate.ts'

const STATUS =
  "TEXT NOT NULL DEFAULT '' CHECK (\"status_of_6\" IN ('', 'success', 'partial_failure', 'failed', 'aborted'))"

/**
 * Reports may have the status `aborted`. SQLite cannot change a CHECK constraint; a new column in the place
 * of the old one does not depend on the other columns that this database has.
 */
export const abortedReports: Migration = {
  id: 6,
  name: 'aborted-reports',
  statements: [
    `ALTER TABLE calibration_results ADD COLUMN "status_of_6" ${STATUS}`,
    'UPDATE calibration_results SET status_of_6 = status',
    'ALTER TABLE calibration_results DROP COLUMN status',
    'ALTER TABLE calibration_results RENAME COLUMN status_of_6 TO status',
  ],
}
