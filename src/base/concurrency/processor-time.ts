import { readFileSync, readlinkSync } from 'node:fs'
import type { Clock } from '../clock.ts'
import { withTimeout } from './timeout.ts'

/** Linux counts processor time in hundredths of a second for every program, whatever its own clock does. */
const TICK_MS = 10
/** Between two looks at the processor time of work that is about to reach its limit. */
const MIN_CHECK_MS = 50

/**
 * Processor time in ms that the process `pid` has used since it started, or one thread of this process;
 * undefined when the system does not tell. Other programs that keep the machine busy do not add to it.
 */
export function processorMsOf(of: number | { readonly thread: number }): number | undefined {
  const path = typeof of === 'number' ? `/proc/${of}/stat` : `/proc/self/task/${of.thread}/stat`
  try {
    // `pid (name) state ...`: the name may contain spaces and brackets; utime and stime are fields 14 and 15.
    const fields = readFileSync(path, 'utf8')
      .replace(/^.*\) /s, '')
      .split(' ')
    const ticks = Number(fields[11]) + Number(fields[12])
    return Number.isFinite(ticks) ? ticks * TICK_MS : undefined
  } catch {
    return undefined
  }
}

/** The number by which the system knows the calling thread; undefined when the system does not tell. */
export function threadNumber(): number | undefined {
  try {
    const number = Number(/\d+$/.exec(readlinkSync('/proc/thread-self'))?.[0])
    return Number.isInteger(number) ? number : undefined
  } catch {
    return undefined
  }
}

interface ProcessorLimit {
  readonly clock: Clock
  /**
   * Processor time in ms of what works; undefined when the system does not tell: time that passes counts
   * then.
   */
  usedMs(): number | undefined
  readonly maxMs: number
  /** Longest time in ms that may pass: on a busy machine, work takes many times its processor time. */
  readonly maxWallMs: number
  /** Called when a limit is reached: the result rejects with what it returns. */
  onExceeded(limit: 'processor' | 'wall'): Error
}

/** Settles as `work` does, unless it uses too much processor time or takes too long. */
export async function withProcessorLimit<T>(work: Promise<T>, limit: ProcessorLimit): Promise<T> {
  const { clock, maxMs, maxWallMs, onExceeded } = limit
  const started = clock.monotonic()
  const before = limit.usedMs()
  const done = work.then((value) => ({ value }))
  for (;;) {
    const passedMs = clock.monotonic() - started
    const usedMs = limit.usedMs()
    // What starts with this work has used none before.
    const left = maxMs - (usedMs === undefined ? passedMs : usedMs - (before ?? 0))
    const wallLeft = maxWallMs - passedMs
    if (left <= 0) throw onExceeded('processor')
    if (wallLeft <= 0) throw onExceeded('wall')
    // It uses one processor, so that it cannot reach its limit earlier.
    const ms = Math.min(wallLeft, Math.max(MIN_CHECK_MS, left))
    const ended = await withTimeout(done, { clock, ms, onTimeout: () => undefined })
    if (ended) return ended.value
  }
}
