/** Entry point of the thread that examines large submissions, see `examine.ts`. */
import { heapSize } from 'bun:jsc'
import { serveWorker, threadNumber } from '../../../base/index.ts'
import { examine, type submissionWorker } from './examine.ts'

serveWorker<typeof submissionWorker>((request, respond) => {
  if ('number' in request) {
    Atomics.store(request.number, 0, threadNumber() ?? 0)
    return
  }
  const { outcome, fields } = examine(request)
  // Releases the body and the syntax trees before the next one. The collection blocks this thread only (5
  // ms).
  Bun.gc(true)
  if (!('text' in outcome)) return respond({ examination: { outcome, fields }, heapBytes: heapSize() })
  const text = new TextEncoder().encode(String(outcome.text))
  respond({ examination: { outcome: { ...outcome, text }, fields }, heapBytes: heapSize() }, [text.buffer])
})
