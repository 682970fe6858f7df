import { toArrayBuffer } from 'bun:ffi'
import { readFileSync } from 'node:fs'
import { type Log, messageOf, openCLibrary } from '../../base/index.ts'
import { deviceEnvironment } from '../../driver/index.ts'

/** An operation of `prctl`, see its manual page. */
const PR_SET_DUMPABLE = 4

/** Fields of /proc/PID/stat, counted from the one after the name, see proc_pid_stat(5). */
const ARG_START = 45
const ARG_END = 46
const ENV_START = 47
const ENV_END = 48

/**
 * Closes the memory, the environment and the open files of this process to other processes of the same user,
 * such as the code of a device: nobody but root may then read `/proc/PID/environ`, `mem` and `fd` or trace
 * it, and it leaves no core dump. A program that this process starts is not affected. Linux only; elsewhere
 * nothing happens.
 */
export function protectMemory(log: Log): void {
  if (process.platform !== 'linux') return
  try {
    if (setDumpable(0) !== 0) throw new Error('prctl(PR_SET_DUMPABLE) failed')
  } catch (error) {
    log.warn('other processes of this user can read the memory of the driver, with its access token', {
      error: messageOf(error),
    })
  }
}

function setDumpable(value: 0 | 1): number {
  const args = ['int', 'u64', 'u64', 'u64', 'u64'] as const
  return openCLibrary({ prctl: { args, returns: 'int' } }).prctl(PR_SET_DUMPABLE, value, 0, 0, 0)
}

/**
 * Overwrites `secret` in the command line of this process, which every user of the machine can read in
 * `/proc/PID/cmdline` and with `ps`, whatever `protectMemory` does. Linux only; elsewhere nothing happens.
 */
export function eraseArgument(secret: string): void {
  erase(secret, ARG_START, ARG_END)
}

/**
 * Removes from the environment of this process what the code of a device must not read, such as an access
 * token that the shell exports, and returns the rest; for commands that run devices themselves and need no
 * credentials. `/proc/PID/environ` no longer shows it either on Linux.
 */
export function dropCredentials(): Record<string, string> {
  const kept = deviceEnvironment(process.env)
  for (const [name, value] of Object.entries(process.env)) {
    if (Object.hasOwn(kept, name)) continue
    delete process.env[name]
    erase(`${name}=${value}`, ENV_START, ENV_END)
  }
  return kept
}

/** Overwrites `secret` in the memory between two addresses that the kernel states. */
function erase(secret: string, from: number, to: number): void {
  if (process.platform !== 'linux' || secret === '') return
  const stat = readFileSync('/proc/self/stat', 'latin1')
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  const [start, end] = [Number(fields[from]), Number(fields[to])]
  if (!(start > 0 && end > start)) return
  // The memory in which the kernel placed the arguments or the environment: it shows what is there now.
  const memory = Buffer.from(toArrayBuffer(start as Parameters<typeof toArrayBuffer>[0], 0, end - start))
  const bytes = Buffer.from(secret)
  for (let at = memory.indexOf(bytes); at >= 0; at = memory.indexOf(bytes, at + bytes.length)) {
    memory.fill('x', at, at + bytes.length)
  }
}
