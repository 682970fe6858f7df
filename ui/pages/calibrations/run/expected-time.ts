import { medianOf } from '../../../../src/base/portable/median.ts'

/** One block of the progress bar. */
export interface Block {
  routine: string
  /** Share of the expected time of the run, 0 to 1. */
  share: number
  /** Expected s; undefined when nothing is known about any routine. */
  seconds: number | undefined
}

/** Expected seconds of a routine in one run, from earlier runs. */
type TypicalTimes = ReadonlyMap<string, number>

/** Number of earlier runs that an estimate looks at. */
export const RUNS_COMPARED = 5

/** The median time that each routine took in earlier runs; a run lists a routine once per target. */
export function typicalTimes(
  runs: readonly (readonly { routine: string; seconds: number }[])[],
): TypicalTimes {
  const totals = new Map<string, number[]>()
  for (const run of runs) {
    const sums = new Map<string, number>()
    for (const { routine, seconds } of run) sums.set(routine, (sums.get(routine) ?? 0) + seconds)
    for (const [routine, seconds] of sums) totals.set(routine, [...(totals.get(routine) ?? []), seconds])
  }
  return new Map([...totals].map(([routine, seconds]) => [routine, medianOf(seconds)]))
}

/**
 * The blocks of a plan: the median of earlier runs, otherwise the figure of the plan, otherwise the median of
 * the routines that are known. Without any figure all blocks are equally wide.
 */
export function blocksOf(
  plan: readonly { routine: string; estimate?: number | undefined }[],
  typical: TypicalTimes,
): Block[] {
  const figures = plan.map(({ routine, estimate }) => typical.get(routine) ?? estimate)
  const known = figures.filter((seconds) => seconds !== undefined && seconds > 0) as number[]
  const usual = known.length > 0 ? medianOf(known) : undefined
  const seconds = figures.map((figure) => figure ?? usual)
  const total = seconds.reduce<number>((sum, one) => sum + (one ?? 1), 0)
  return plan.map(({ routine }, at) => {
    const one = seconds[at]
    return { routine, seconds: one, share: total > 0 ? (one ?? 1) / total : 1 / plan.length }
  })
}

/** How far a run is. */
export interface Position {
  /** Blocks that are over. */
  over: number
  /** Share of the current block that is over, 0 to 1. */
  within: number
}

/** The share of the expected time that is over, 0 to 1. */
export function shareOver(blocks: readonly Block[], { over, within }: Position): number {
  const done = blocks.slice(0, over).reduce((sum, { share }) => sum + share, 0)
  const present = (blocks[over]?.share ?? 0) * Math.min(1, Math.max(0, within))
  return Math.min(1, Math.max(0, done + present))
}

/**
 * Seconds until the end: what the blocks ahead usually take. Without figures, by the pace of this run; not
 * before a tenth of it is over.
 */
export function secondsLeft(
  blocks: readonly Block[],
  position: Position,
  elapsed: number | undefined,
): number | undefined {
  const share = shareOver(blocks, position)
  const total = blocks.reduce((sum, { seconds }) => sum + (seconds ?? Number.NaN), 0)
  if (blocks.length > 0 && Number.isFinite(total)) return total * (1 - share)
  if (elapsed === undefined || share < 0.1) return undefined
  return (elapsed * (1 - share)) / share
}
