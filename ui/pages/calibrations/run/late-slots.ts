import type { Schedule } from '../../../api/model/schedule.ts'
import { parseTime } from '../../../lib/time.ts'

/** A booked time; Unix ms. */
export interface Slot {
  start: number
  end: number
  mine: boolean
}

/** The slots of a QPU, and those of all QPUs, in order of time. */
export function coming(busy: Schedule['busy'], qpu: string): Slot[] {
  return busy
    .filter((entry) => entry.kind === 'slot' && (entry.qpu === qpu || entry.qpu === ''))
    .flatMap(({ start, end, mine }) => {
      const [from, to] = [parseTime(start), parseTime(end)]
      return from === undefined || to === undefined ? [] : [{ start: from, end: to, mine }]
    })
    .sort((a, b) => a.start - b.start)
}

/** Ms of a slot that are lost to a calibration that ends at `end`; undefined without an estimate. */
export function lateness({ start, end: last }: Slot, end: number | undefined): number | undefined {
  return end === undefined ? undefined : Math.max(0, Math.min(end, last) - start)
}
