import { readFile } from 'node:fs/promises'
import { until } from './until.ts'

/** Whether a process is running; zombie processes are not. */
export async function isAlive(pid: number): Promise<boolean> {
  const state = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => ') X')
  return !/\) [XZ]/.test(state)
}

/** Waits until a process has ended. */
export async function untilExit(pid: number): Promise<void> {
  await until(`the end of process ${pid}`, async () => !(await isAlive(pid)))
}
