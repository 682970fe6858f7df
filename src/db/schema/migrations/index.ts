import type { Migration } from '../migrate.ts'

import { requeuedAttempts } from './0001-requeued-attempts.ts'

/** Every migration, `NNNN-name.ts` in this folder. */
export const MIGRATIONS: readonly Migration[] = [requeuedAttempts]
