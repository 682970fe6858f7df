import type { FromTab, ToTab, Wire } from './shared-stream.ts'

/** The URL path of the shared worker; `scripts/build-ui.ts` puts it in. */
declare const LIVE_WORKER: string

/**
 * Joins the event stream that the tabs of a login share. `onFailed` is called when the browser has no shared
 * workers or cannot load this one; without it the tab has a stream of its own.
 */
export function joinStream(login: string, onFailed?: () => void): Wire<FromTab, ToTab> {
  if (onFailed && 'SharedWorker' in window) {
    const worker = new SharedWorker(LIVE_WORKER, { name: login })
    worker.onerror = onFailed
    return worker.port
  }
  const { port1, port2 } = new MessageChannel()
  void import('./shared-stream.ts').then(({ createSharedStream }) => createSharedStream()(port2))
  return port1
}
