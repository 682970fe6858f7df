import type { Migration } from '../../migrate.ts'

/** Counts the bytes of the jobs that each user has stored; from here on triggers do. */
export const userBytes: Migration = {
  id: 3,
  name: 'user-bytes',
  statements: [
    `CREATE TABLE "user_bytes" (
  "user" TEXT NOT NULL PRIMARY KEY,
  "bytes" INTEGER NOT NULL
) STRICT, WITHOUT ROWID`,
    `INSERT INTO user_bytes (user, bytes)
       SELECT user, sum(bytes) FROM (
         SELECT user_id AS user,
           1024 + coalesce(octet_length(payload), 0) + coalesce(octet_length(results), 0) AS bytes
         FROM quantum_jobs WHERE user_id <> ''
         UNION ALL
         SELECT user_id, octet_length(body) FROM quantum_jobs_large
         JOIN quantum_jobs ON quantum_jobs.id = record WHERE user_id <> '')
       GROUP BY user`,
  ],
}
