import { defineWorker, startWorker } from '../worker.ts'

/** Watches the process whose number is sent and ends this one after it. */
export const parentWatch = defineWorker<{ parentPid: number; graceMs: number }, never>(
  'src/base/parent-watch/parent-watch-worker.ts',
)

/**
 * Ends this process `graceMs` after its parent has exited, within half a second. A second thread watches the
 * id of the parent process, because a child in an endless computation blocks its main thread, which then does
 * not process the closed IPC channel.
 */
export function endWithParent(graceMs: number): void {
  startWorker(parentWatch).send({ parentPid: process.ppid, graceMs })
}
