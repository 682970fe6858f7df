import type { FitTrace, TraceAxis } from '../../fitting/fit.ts'
import type { Routine, RoutineError, SweepAxis, SweepRange } from '../routine.ts'

/** How often a sweep is repeated around its end. */
const MAX_REPEATS = 2
/** Points from an end within which the best one counts as being there. */
const STEPS = 1

/**
 * The ends at which the sweeps of frequencies and currents had their best point, by axis, when that is why an
 * attempt failed: there a line goes on beyond the sweep. Other quantities begin at zero, and their routines
 * take longer sweeps themselves.
 * @param swept the axes of the attempt
 * @param repeats how often the sweep was repeated for this reason
 */
export function endsToRepeat(
  { code, trace }: RoutineError,
  { axes }: Pick<Routine, 'axes'>,
  swept: readonly SweepAxis[],
  repeats: number,
): Record<string, number> | undefined {
  if (code !== 'edge_of_sweep' || !trace || trace.kind === 'iq' || repeats >= MAX_REPEATS) return undefined
  const ends = bestOf(trace).flatMap(({ axis: { name, values }, at }) => {
    const unit = axes[name]?.unit
    const last = swept.findLast((axis) => axis.name === name)?.values
    if (!last || (unit !== 'Hz' && unit !== 'A') || axes[name]?.relativeTo !== undefined) return []
    if (at > STEPS && at < values.length - 1 - STEPS) return []
    const isFirst = at <= STEPS
    const isRising = (values[0] ?? 0) < (values.at(-1) ?? 0)
    return [[name, isFirst === isRising ? Math.min(...last) : Math.max(...last)] as const]
  })
  return ends.length > 0 ? Object.fromEntries(ends) : undefined
}

/** Where on its axes a trace is farthest from its usual value. */
function bestOf(trace: Exclude<FitTrace, { kind: 'iq' }>): { axis: TraceAxis; at: number }[] {
  const values = trace.kind === 'map' ? trace.z : (trace.curve ?? trace.y)
  const usual = [...values].sort((one, other) => one - other)[values.length >> 1] ?? 0
  const distances = values.map((value) => Math.abs(value - usual))
  const best = distances.indexOf(Math.max(...distances))
  if (trace.kind === 'line') return [{ axis: trace.x, at: best }]
  const columns = trace.x.values.length
  return [
    { axis: trace.x, at: best % columns },
    { axis: trace.y, at: Math.floor(best / columns) },
  ]
}

/** A sweep of the same width around another center; the same without one. */
export function movedTo(
  range: SweepRange | readonly number[],
  center: number | undefined,
): SweepRange | readonly number[] {
  if (center === undefined) return range
  if (!('start' in range)) {
    const by = center - (Math.min(...range) + Math.max(...range)) / 2
    return range.map((value) => value + by)
  }
  const half = (range.stop - range.start) / 2
  return { ...range, start: center - half, stop: center + half }
}
