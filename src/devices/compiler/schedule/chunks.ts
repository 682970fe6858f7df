import { PROGRAM_LIMITS } from '../../pulse/check-program.ts'
import type { Schedule } from '../../pulse/schedule.ts'

/** The shots of a schedule in parts, each a program of its own, which an instrument may split further. */
export function chunksOf(shots: number, { acquisitions }: Schedule): number[] {
  const size = Math.max(1, Math.floor(PROGRAM_LIMITS.keptValues / Math.max(1, acquisitions.length)))
  const chunks = new Array<number>(Math.ceil(shots / size)).fill(size)
  chunks[chunks.length - 1] = shots - size * (chunks.length - 1)
  return chunks
}
