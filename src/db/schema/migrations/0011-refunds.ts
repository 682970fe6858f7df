import type { Migration } from '../migrate.ts'

/** The ledger also has refunds; the positions of its entries stay. */
export const refunds: Migration = {
  id: 11,
  name: 'refunds',
  statements: [
    'ALTER TABLE qpu_ledger RENAME TO qpu_ledger_before',
    `CREATE TABLE "qpu_ledger" (
  "id" TEXT NOT NULL PRIMARY KEY,
  "user" TEXT NOT NULL,
  "kind" TEXT NOT NULL CHECK (kind IN ('charge', 'grant', 'admin', 'opening', 'refund')),
  "source_id" TEXT NOT NULL,
  "delta_ms" INTEGER NOT NULL,
  "at" TEXT NOT NULL,
  UNIQUE (kind, source_id)
) STRICT`,
    `INSERT INTO qpu_ledger (rowid, id, "user", kind, source_id, delta_ms, at)
     SELECT rowid, id, "user", kind, source_id, delta_ms, at FROM qpu_ledger_before`,
    'DROP TABLE qpu_ledger_before',
  ],
}
