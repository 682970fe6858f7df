import { defineWorker, startWorker } from '../../base/index.ts'

/** Watches the process whose number is sent and ends this one after it. */
export const parentWatch = defineWorker<{ parentPid: number }, never>(
  'src/driver/device-process/parent-watch-worker.ts',
)

/**
 * Ends this process within 3 s after its parent has exited. A second thread watches the id of the parent
 * process, because a device in an endless loop blocks the main thread, which then does not process the closed
 * IPC channel.
 */
export function endWithParent(): void {
  startWorker(parentWatch).send({ parentPid: process.ppid })
}
