import type { ScheduleBuilder } from '../../../pulse/builder.ts'
import type { RoutineContext } from '../../routine.ts'
import { playGate } from '../clifford.ts'
import type { PairGate } from './pair-clifford.ts'

/** Plays a Clifford gate on the qubits of an edge; the left one is the parent. */
export function playPairGate(
  schedule: ScheduleBuilder,
  { target, parent, child }: RoutineContext,
  { layers }: PairGate,
): void {
  for (const layer of layers) {
    if (layer === 'cz') {
      schedule.cz(target)
      continue
    }
    playGate(schedule, parent.name, layer[0])
    playGate(schedule, child.name, layer[1])
  }
}
