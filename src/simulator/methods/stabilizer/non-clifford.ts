import { SimulationError } from '../../errors.ts'

/** A step that the stabilizer method cannot simulate. */
export interface NonCliffordStep {
  kind: string
  name?: string
}

/** The reason why the stabilizer method cannot simulate the step. */
export function nonCliffordReason({ kind, name }: NonCliffordStep): string {
  return kind === 'channel'
    ? 'the noise is not made of Pauli operators'
    : `the gate ${name ?? kind} is not Clifford`
}

/** The error for a program with feedback, whose steps are known only while it runs. */
export function nonCliffordError(step: NonCliffordStep): SimulationError {
  const text = `${nonCliffordReason(step)}; the method stabilizer cannot run it, choose another`
  return new SimulationError(text, { code: 'not_clifford' })
}
