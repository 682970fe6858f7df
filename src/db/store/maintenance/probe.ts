import { type AppError, messageOf } from '../../../base/index.ts'
import type { Database } from '../../records/database.ts'

/** Tests whether the database accepts writes, by a small write; returns the error message if it does not. */
export async function probeWrites(db: Database): Promise<string | undefined> {
  try {
    await db.write('probe', (tx) =>
      tx.run(
        `INSERT INTO meta (key, value) VALUES ('probe', $at) ON CONFLICT (key) DO UPDATE SET value = excluded.value`,
        { at: tx.at },
      ),
    )
  } catch (error) {
    return messageOf(error)
  }
  // So small a write may succeed where that of a job fails.
  const failure: AppError | undefined = db.storage.failure
  return failure?.message
}
