import type { ElementReader, RoutineContext } from '../../routine.ts'
import { DRIVE_PRIORS, DRIVEN } from '../inputs.ts'

/** What a gate on an edge reads of both of its qubits. */
export const DRIVEN_ENDS = DRIVEN.map((path) => `end:${path}`)

/** What the qubits of an edge may have beside that. */
export const DRIVE_PRIORS_OF_ENDS = DRIVE_PRIORS.map((path) => `end:${path}`)

/** The qubits of an edge by their frequencies: the gate moves the upper one to state 2. */
interface OrderedEnds {
  readonly high: ElementReader
  readonly low: ElementReader
}

export function orderedEnds({ parent, child }: RoutineContext): OrderedEnds {
  const isParentHigh = parent.number('clock_freqs.f01') >= child.number('clock_freqs.f01')
  return isParentHigh ? { high: parent, low: child } : { high: child, low: parent }
}

/** The distance of |20⟩ from |11⟩, Hz: that of f12 of the upper qubit from f01 of the lower one. */
export function gateGap({ high, low }: OrderedEnds): number {
  return Math.abs(high.number('clock_freqs.f12') - low.number('clock_freqs.f01'))
}

/** Whether the gate of the edge is a tone; otherwise it is a pulse without carrier. */
export function isParametric({ self }: RoutineContext): boolean {
  return self.has('clock_freqs.cz')
}

/** The context in which what measures a qubit measures one end of an edge. */
export function forQubit(context: RoutineContext, self: ElementReader): RoutineContext {
  return { ...context, target: self.name, self }
}
