import { COLLECTIONS } from '../collections.ts'
import { type DatabasePlace, openForReading } from '../read-database.ts'
import { createReadTx, type ReadTx } from '../records/tx.ts'
import { createPlans } from '../schema/plan.ts'
import { withSnapshot } from '../sqlite/read-copy.ts'
import { assertHasTables } from '../transfer/snapshot.ts'
import { TABLES } from '../transfer/whole.ts'

/** Where recorded jobs are; at a path is a file, such as a backup, or a folder with one. */
export type RecordingSource = DatabasePlace | { readonly path: string }

/**
 * Runs `work` on one snapshot of a database, even of one that a server uses; nothing is written.
 * @throws AppError as `withSnapshot` does for files, and as `openSnapshot` does for a server.
 */
export function withSource<T>(source: RecordingSource, work: (tx: ReadTx) => T): T {
  if (!('server' in source)) return withSnapshot('dir' in source ? source.dir : source.path, work)
  const { connection, tables } = openForReading(source)
  try {
    return connection.transaction('read', () => {
      assertHasTables(tables(), TABLES)
      const { tx } = createReadTx(connection, { collections: COLLECTIONS, planOf: createPlans() }, 0)
      return work(tx)
    })
  } finally {
    connection.close()
  }
}
