import { defineWorker, startWorker } from '../concurrency/worker.ts'

/** Watches the process whose number is sent and ends this one after it. */
export const parentWatch = defineWorker<{ parentPid: number; graceMs: number }, never>(
  'src/base/parent-watch/parent-watch-worker.ts',
)

/**
 * Ends this process `graceMs` after its parent has exited, within half a second. A second thread watches the
 * id of the parent process, because a child in an endless computation blocks its main thread, which then does
 * not process the closed IPC channel. Returns how to change the time, also after the parent has exited.
 */
export function endWithParent(graceMs: number): (graceMs: number) => void {
  const parentPid = process.ppid
  const worker = startWorker(parentWatch)
  worker.send({ parentPid, graceMs })
  return (changed) => worker.send({ parentPid, graceMs: changed })
}
