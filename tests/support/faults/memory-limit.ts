import { accessSync, constants, mkdirSync, readFileSync, rmdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

/** Processes that may have so much memory together. */
export interface MemoryLimit {
  /** Put before a command, starts it inside. */
  prefix: string[]
  /** Number of its processes that the kernel has killed for lack of memory. */
  kills(): number
  /** Ends the limit, once its processes have ended. */
  [Symbol.dispose](): void
}

/**
 * The two versions of the kernel's control groups; the file of kills has a line `oom_kill <number>` in both.
 */
const VERSIONS = [
  { root: '/sys/fs/cgroup/memory', limit: 'memory.limit_in_bytes', kills: 'memory.oom_control' },
  { root: '/sys/fs/cgroup', limit: 'memory.max', kills: 'memory.events' },
] as const

/** Why memory cannot be limited here, or undefined. */
export function whyNoMemoryLimit(): string | undefined {
  return version() ? undefined : 'it takes a control group for memory that may be changed'
}

function version() {
  return VERSIONS.find(({ root }) => {
    try {
      readFileSync(join(root, 'cgroup.procs'))
      accessSync(root, constants.W_OK)
      // The second version gives a group a limit only where its parent allows that.
      const allowed = join(root, 'cgroup.subtree_control')
      return root.endsWith('memory') || readFileSync(allowed, 'utf8').includes('memory')
    } catch {
      return false
    }
  })
}

/**
 * Limits processes that are started with its prefix to `mib` MiB. Needs root and no reason in
 * `whyNoMemoryLimit()`.
 */
export function limitMemory(mib: number): MemoryLimit {
  const found = version()
  if (!found) throw new Error(whyNoMemoryLimit())
  const group = join(found.root, `svc-test-${process.pid}-${Math.round(performance.now())}`)
  mkdirSync(group)
  writeFileSync(join(group, found.limit), String(mib * 1024 * 1024))
  return {
    prefix: ['sh', '-c', `echo $$ >${join(group, 'cgroup.procs')} && exec "$@"`, 'sh'],
    kills: () => Number(/^oom_kill (\d+)$/m.exec(readFileSync(join(group, found.kills), 'utf8'))?.[1]),
    [Symbol.dispose]: () => rmdirSync(group),
  }
}
