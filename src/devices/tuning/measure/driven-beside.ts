import { type RoutineContext, RoutineError } from '../routine.ts'

/** The other qubits of the chip that have pulses. @throws RoutineError `declined` without any. */
export function drivenBeside({ target, qubits, element }: RoutineContext): string[] {
  const isDriven = (qubit: string) =>
    ['clock_freqs.f01', 'rxy.amp180', 'rxy.duration'].every(
      (path) => element(qubit).optional(path) !== undefined,
    )
  const others = qubits.filter((qubit) => qubit !== target && isDriven(qubit))
  if (others.length === 0) throw new RoutineError('declined', 'no other qubit of the chip has pulses')
  return others
}
