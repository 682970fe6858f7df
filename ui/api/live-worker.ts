import { createSharedStream } from './shared-stream.ts'

/** A shared worker for each login of the browser gives its tabs one event stream. */
const join = createSharedStream()

addEventListener('connect', (event) => {
  const [tab] = event instanceof MessageEvent ? event.ports : []
  // A tab that crashes does not say that it leaves.
  if (tab) tab.addEventListener('close', join(tab))
})
