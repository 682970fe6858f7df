/** Entry point of the thread that checks large programs, see `checker.ts`. */
import { heapSize } from 'bun:jsc'
import { serveWorker } from '../../base/index.ts'
import { checkEach } from './check-each.ts'
import type { checkWorker } from './checker.ts'

serveWorker<typeof checkWorker>((programs, respond) => {
  const reports = checkEach(programs)
  // Releases the syntax trees before the next check. The collection blocks this thread only (5 ms).
  Bun.gc(true)
  respond({ reports, heapBytes: heapSize() })
})
