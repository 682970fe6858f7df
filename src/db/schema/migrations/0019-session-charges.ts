import type { Migration } from '../migrate.ts'

/** The ledger also has the charges of sessions. */
export const sessionCharges: Migration = {
  id: 19,
  name: 'session-charges',
  statements: [
    {
      table: 'qpu_ledger',
      changed:
        "\"kind\" TEXT NOT NULL CHECK (kind IN ('charge', 'grant', 'admin', 'opening', 'refund', 'session'))",
    },
  ],
}
