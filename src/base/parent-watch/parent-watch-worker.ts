/** Entry point of the thread that watches the parent process, see `parent-watch.ts`. */
import { systemClock } from '../clock.ts'
import { serveWorker } from '../concurrency/worker.ts'
import type { parentWatch } from './parent-watch.ts'

const POLL_MS = 500

let graceMs = 0

async function watch(parentPid: number): Promise<void> {
  while (process.ppid === parentPid) await systemClock.sleep(POLL_MS)
  const gone = systemClock.monotonic()
  for (;;) {
    const leftMs = gone + graceMs - systemClock.monotonic()
    if (leftMs <= 0) break
    await systemClock.sleep(Math.min(POLL_MS, leftMs))
  }
  process.kill(process.pid, 'SIGKILL')
}

let isWatching = false
serveWorker<typeof parentWatch>((request) => {
  graceMs = request.graceMs
  if (isWatching) return
  isWatching = true
  void watch(request.parentPid)
})
