import type { PageWriter } from './engine/export-page.ts'
import { openServerForReading } from './postgres/open-engine.ts'
import { serveReads } from './readers/reader-host.ts'
import { openConnection } from './sqlite/connection.ts'

/**
 * Body of the hidden command `svc reader`, for a database of any kind; see `serveReads`.
 * @throws AppError `invalid` when it was not started by a server.
 */
export function runReader(loadWriter: () => Promise<PageWriter>): void {
  serveReads(
    (source) =>
      'server' in source
        ? openServerForReading(source.server)
        : { connection: openConnection(source.file, 'read'), limit: () => undefined },
    loadWriter,
  )
}
