import type { Migration } from '../../migrate.ts'

/** Removes the list of the newest changes, which was written with every change and never read. */
export const noChangeLog: Migration = {
  id: 5,
  name: 'no-change-log',
  statements: ['DROP TABLE IF EXISTS change_log'],
}
