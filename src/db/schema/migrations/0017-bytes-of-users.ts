import type { Migration } from '../migrate.ts'

/**
 * What the end of a job writes beside its own row is less: the bytes of a user stand where the balance does,
 * and entries of the ledger, which their source identifies, have no ids. Their positions stay.
 */
export const bytesOfUsers: Migration = {
  id: 17,
  name: 'bytes-of-users',
  statements: [
    { table: 'users', column: '"job_bytes" INTEGER NOT NULL DEFAULT 0' },
    `UPDATE users SET job_bytes = coalesce((SELECT bytes FROM user_bytes WHERE user_bytes."user" = users.id), 0)`,
    'DROP TABLE user_bytes',
    { table: 'qpu_ledger', dropped: 'id' },
  ],
}
