/** Entry point of the thread that checks large programs, see `checker.ts`. */
import { serveWorker } from '../../base/index.ts'
import { checkEach } from './check-each.ts'
import type { checkWorker } from './checker.ts'

serveWorker<typeof checkWorker>((programs, respond) => {
  respond(checkEach(programs))
  // Releases the syntax trees before the next check: without it, three that took a gigabyte each left 1.8 GB
  // in use. The collection blocks this thread only (5 ms), after the response.
  Bun.gc(true)
})
