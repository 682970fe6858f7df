import type { Migration } from '../../migrate.ts'

/** Linked accounts carry the names that clients of the record-store pattern use. */
export const externalAuthNames: Migration = {
  id: 2,
  name: 'external-auths',
  statements: [
    'ALTER TABLE "external_auths" RENAME COLUMN "user" TO "recordRef"',
    'ALTER TABLE "external_auths" RENAME COLUMN "provider_id" TO "providerId"',
  ],
}
