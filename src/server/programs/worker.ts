/** Entry point of the thread that checks large programs, see `checker.ts`. */
import { serveWorker } from '../../base/index.ts'
import { checkEach } from './check-each.ts'
import type { checkWorker } from './checker.ts'

serveWorker<typeof checkWorker>((programs, respond) => {
  respond(checkEach(programs))
  // Without it the trees of large programs stay: three programs of a gigabyte took 1.8 GB for a long time.
  Bun.gc(true)
})
