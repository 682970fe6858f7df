import { type RoutineContext, RoutineError } from '../../routine.ts'

/** A sweep of the frequency of a gate around `center`, and `half` to either side, Hz. */
interface GateSweep {
  readonly center: number
  readonly half: number
  readonly points: number
}

/** A slower tone does not complete a period in a gate, Hz. */
const SLOWEST_HZ = 5e6

/**
 * The frequencies of a sweep that the line of the gate plays, and that are tones.
 * @throws RoutineError `declined` when there are none.
 */
export function gateFrequencies(context: RoutineContext, sweep: GateSweep): Float64Array {
  const { center, half, points } = sweep
  const [start, stop] = [Math.max(SLOWEST_HZ, center - half), center + half]
  if (stop <= start) {
    const [fastest, slowest] = [stop, SLOWEST_HZ].map((value) => `${(value / 1e6).toFixed(1)} MHz`)
    const problem = `its tone is up to ${fastest}, and slower than ${slowest} it completes no period`
    throw new RoutineError('declined', `the gate cannot be played: ${problem}`)
  }
  try {
    return context.axis('frequency', { start, stop, points }).values
  } catch (error) {
    if (!(error instanceof RoutineError) || error.code !== 'out_of_range') throw error
    throw new RoutineError('declined', `the gate cannot be played: ${error.message}`)
  }
}
