/** Entry point of the thread that parses large JSON bodies, see `json-text.ts`. */
import { serveWorker } from '../../../base/index.ts'
import { type jsonWorker, parseJsonText, releaseMemory } from './json-text.ts'

serveWorker<typeof jsonWorker>((request, respond) => {
  respond(parseJsonText(request))
  releaseMemory(request.bytes)
  // Blocks this thread only, after the response: several large bodies must not add up.
  Bun.gc(true)
})
