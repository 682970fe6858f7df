import { type AppError, messageOf } from '../../../base/index.ts'
import type { Database } from '../../records/database.ts'

/** Why the database takes no writes, by writing a little; undefined when it does. */
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
  // So little may find room where a job does not.
  const failure: AppError | undefined = db.storage.failure
  return failure?.message
}
