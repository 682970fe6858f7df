import { type Routine, RoutineError } from '../../../src/devices/tuning/routine.ts'

/** A routine that fails before it measures. */
export function failing(routine: Routine, code: string): Routine {
  return {
    ...routine,
    // biome-ignore lint/correctness/useYield: it fails before it measures.
    *measure() {
      throw new RoutineError(code, 'nothing seen')
    },
  }
}
