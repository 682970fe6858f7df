import { readFileSync } from 'node:fs'
import { treeOf } from './processor-time.ts'

/** Bytes that a process and its children, also those that have ended, gave to the disk. */
export function writtenBytes(pid: number): number {
  return treeOf(pid).reduce((sum, each) => {
    const counters = readFileSync(`/proc/${each}/io`, 'utf8')
    return sum + Number(/^write_bytes: (\d+)$/m.exec(counters)?.[1])
  }, 0)
}
