import type { JobPayload } from './jobs.ts'

/** How a job asks for the outcomes of its shots. */
export type RecordedShots = Pick<JobPayload, 'meas_level' | 'meas_return' | 'memory' | 'memory_format'>

/** Characters of the shortest point, `[0,0],`: devices may write up to 44. */
const MIN_POINT_LENGTH = 6

/**
 * Characters of JSON that the outcomes of all shots of one result take beside its counts: of bits at their
 * full width, of points at least. Traces (`meas_level` 0) count as 0: only the device knows their length.
 */
export function memoryLength(
  { meas_level, meas_return, memory, memory_format }: RecordedShots,
  bits: number,
  shots: number,
): number {
  if (meas_level === 0) return 0
  if (meas_level === 1) return (meas_return === 'avg' ? 1 : shots) * bits * MIN_POINT_LENGTH
  if (!memory) return 0
  // Base64 of whole bytes per shot, or a list of `"0x…",`.
  if (memory_format === 'packed') return 4 * Math.ceil((shots * Math.ceil(bits / 8)) / 3)
  return shots * (Math.ceil(bits / 4) + 5)
}
