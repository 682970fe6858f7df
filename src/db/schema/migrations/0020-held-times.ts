import type { Migration } from '../migrate.ts'

/** The times for which sessions were charged are those of the ledger. */
export const heldTimes: Migration = {
  id: 20,
  name: 'held-times',
  statements: ['held_from', 'held_to'].map((dropped) => ({ table: 'sessions', dropped })),
}
