import { Worker } from 'node:worker_threads'

/**
 * Ends this process within 3 s of its parent's death, even when a device keeps the main thread in an endless loop
 * and the closed IPC channel goes unnoticed there: a second thread watches the parent's process number.
 */
export function endWithParent(): void {
  const source = `
    while (process.ppid === ${process.ppid}) Bun.sleepSync(500)
    // An attentive device closes by itself in this time.
    Bun.sleepSync(2500)
    process.kill(process.pid, 'SIGKILL')
  `
  new Worker(source, { eval: true }).unref()
}
