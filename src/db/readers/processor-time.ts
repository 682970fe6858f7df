import { readFileSync } from 'node:fs'

/** Linux counts processor time in hundredths of a second for every program, whatever its own clock does. */
const TICK_MS = 10

/**
 * Processor time in ms that the process `pid` has used since it started; undefined when the system does not
 * tell. Other programs that keep the machine busy do not add to it.
 */
export function processorMsOf(pid: number): number | undefined {
  try {
    // `pid (name) state ...`: the name may contain spaces and brackets; utime and stime are fields 14 and 15.
    const fields = readFileSync(`/proc/${pid}/stat`, 'utf8')
      .replace(/^.*\) /s, '')
      .split(' ')
    const ticks = Number(fields[11]) + Number(fields[12])
    return Number.isFinite(ticks) ? ticks * TICK_MS : undefined
  } catch {
    return undefined
  }
}
