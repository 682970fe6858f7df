import { readFile } from 'node:fs/promises'

/** Whether a process is running; zombie processes are not. */
export async function isAlive(pid: number): Promise<boolean> {
  const state = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => ') X')
  return !/\) [XZ]/.test(state)
}

/** Waits until a process has ended; throws after 5 s. */
export async function untilExit(pid: number): Promise<void> {
  const end = performance.now() + 5_000
  while (await isAlive(pid)) {
    if (performance.now() > end) throw new Error(`process ${pid} is still there`)
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
}
