import { readFileSync } from 'node:fs'
import { until } from '../until.ts'

/** System calls of a running process that fail until the end of the block. */
export interface FailingCalls extends AsyncDisposable {
  /** How often one has failed so far. */
  readonly failed: number
}

/**
 * Makes every one of the system calls `calls` (`pwrite64`, or a list with commas) of process `pid` fail with
 * `error` (`EIO`): the kernel never sees them. Needs strace.
 */
export function failCalls(pid: number, calls: string, error: string): Promise<FailingCalls> {
  return injectInto(pid, calls, `error=${error}`)
}

/** Delays every one of the system calls `calls` of process `pid` by `ms`, before the kernel sees it. */
export function delayCalls(pid: number, calls: string, ms: number): Promise<FailingCalls> {
  return injectInto(pid, calls, `delay_enter=${ms * 1_000}`)
}

async function injectInto(pid: number, calls: string, fault: string): Promise<FailingCalls> {
  const traced = ['-e', `trace=${calls}`, '-e', `inject=${calls}:${fault}`]
  const strace = Bun.spawn(['strace', '-f', '-qq', '-p', String(pid), ...traced], {
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  let written = ''
  async function collect(): Promise<void> {
    const decoder = new TextDecoder()
    for await (const chunk of strace.stderr) written += decoder.decode(chunk, { stream: true })
  }
  const collected = collect()
  await until('strace to take hold of every thread', async () => {
    if (strace.exitCode !== null) throw new Error(`strace: ${written}`)
    return !/^TracerPid:\t0$/m.test(readFileSync(`/proc/${pid}/status`, 'utf8'))
  })
  return {
    get failed() {
      return written.split('(INJECTED)').length - 1
    },
    async [Symbol.asyncDispose]() {
      strace.kill('SIGTERM')
      await Promise.all([strace.exited, collected])
    },
  }
}
