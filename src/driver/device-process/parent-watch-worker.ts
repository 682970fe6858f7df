/** Entry point of the thread that watches the parent process, see `parent-watch.ts`. */
import { serveWorker, systemClock } from '../../base/index.ts'
import type { parentWatch } from './parent-watch.ts'

const POLL_MS = 500
/** Time in which a device that responds closes by itself. */
const GRACE_MS = 2_500

async function watch({ parentPid }: { parentPid: number }): Promise<void> {
  while (process.ppid === parentPid) await systemClock.sleep(POLL_MS)
  await systemClock.sleep(GRACE_MS)
  process.kill(process.pid, 'SIGKILL')
}

serveWorker<typeof parentWatch>((request) => void watch(request))
