import { type BarOrder, type Bars, toBars } from '../jobs/counts.ts'

/** Width of the axis of plots that stand above each other, px. */
export const AXIS_PX = 64
/** Width of the note about outcomes without a bar, px. */
export const NOTE_PX = 96
/** Minimum width of the bars of one outcome with their gap, in px; outcomes that do not fit are left out. */
const MIN_SLOT_PX = 1
/** All outcomes of nine qubits have a bar where the plot is wide enough. */
const MAX_BARS = 512

/** The bars that fit a plot of this width, which has a note beside them if some do not. */
export function chooseBars(
  counts: Record<string, number>,
  { order, maxBars = MAX_BARS, width }: { order: BarOrder; maxBars?: number; width: number },
): Bars {
  const fitting = (px: number) => Math.max(1, Math.min(maxBars, Math.floor(px / MIN_SLOT_PX)))
  const all = toBars(counts, order, fitting(width - AXIS_PX))
  return all.other ? toBars(counts, order, fitting(width - AXIS_PX - NOTE_PX)) : all
}
