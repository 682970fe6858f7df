/** Entry point of the thread that watches the parent process, see `parent-watch.ts`. */
import { systemClock } from '../clock.ts'
import { serveWorker } from '../worker.ts'
import type { parentWatch } from './parent-watch.ts'

const POLL_MS = 500

async function watch({ parentPid, graceMs }: { parentPid: number; graceMs: number }): Promise<void> {
  while (process.ppid === parentPid) await systemClock.sleep(POLL_MS)
  await systemClock.sleep(graceMs)
  process.kill(process.pid, 'SIGKILL')
}

serveWorker<typeof parentWatch>((request) => void watch(request))
