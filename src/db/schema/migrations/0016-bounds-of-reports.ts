import type { Migration } from '../migrate.ts'

/**
 * Bounds belong to their reports. Those that are stored, and those of reports before, are read from the
 * reports again, one after another while the server runs.
 */
export const boundsOfReports: Migration = {
  id: 16,
  name: 'bounds-of-reports',
  statements: [
    'DROP TABLE IF EXISTS calibration_bounds',
    "UPDATE calibration_results SET values_stored_at = ''",
  ],
}
