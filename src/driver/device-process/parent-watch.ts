import { defineWorker, startWorker } from '../../base/index.ts'

/** Watches the process whose number is sent and ends this one after it. */
export const parentWatch = defineWorker<{ parentPid: number }, never>(
  'src/driver/device-process/parent-watch-worker.ts',
)

/**
 * Ends this process within 3 s of its parent's death, even when a device keeps the main thread in an endless loop
 * and the closed IPC channel goes unnoticed there: a second thread watches the parent's process number.
 */
export function endWithParent(): void {
  startWorker(parentWatch).send({ parentPid: process.ppid })
}
