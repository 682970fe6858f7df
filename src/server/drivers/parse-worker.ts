/** Entry point of the thread that parses large events, see `event-parser.ts`. */
import { serveWorker } from '../../base/index.ts'
import type { parseWorker } from './event-parser.ts'
import { parseEvent } from './parse-event.ts'

serveWorker<typeof parseWorker>((body, respond) => {
  respond(parseEvent(body))
  // Releases the parsed values before the next event. It blocks this thread only.
  Bun.gc(true)
})
