import type { Migration } from '../migrate.ts'

/** The sums over jobs, which were written with each job, are complete up to the last one. */
export const sumsWatermark: Migration = {
  id: 10,
  name: 'sums-watermark',
  statements: [
    `CREATE TABLE "sums_watermark" (
  "id" INTEGER PRIMARY KEY CHECK (id = 1),
  "seq" INTEGER NOT NULL,
  "at" TEXT NOT NULL,
  "written" INTEGER NOT NULL
) STRICT`,
    `INSERT INTO sums_watermark (id, seq, at, written)
     SELECT 1, coalesce(max(seq), 0), coalesce(max(finished_at), ''), 0 FROM quantum_jobs`,
  ],
}
