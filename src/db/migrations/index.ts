import type { Migration } from '../migrate.ts'

/** Every released migration, `NNNN-name.ts` in this folder. None yet: the first schema follows from the declarations. */
export const MIGRATIONS: readonly Migration[] = []
