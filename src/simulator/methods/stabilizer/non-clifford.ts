import { SimulationError } from '../../errors.ts'

/** A step that no tableau can take. */
export interface NonCliffordStep {
  kind: string
  name?: string
}

/** Why a circuit with this step is none for a tableau. */
export function nonCliffordReason({ kind, name }: NonCliffordStep): string {
  return kind === 'channel'
    ? 'the noise is not made of Pauli operators'
    : `the gate ${name ?? kind} is not Clifford`
}

/** The same, for a program that only shows its steps as it runs. */
export function nonCliffordError(step: NonCliffordStep): SimulationError {
  const text = `${nonCliffordReason(step)}; the method stabilizer cannot run it, choose another`
  return new SimulationError(text, { code: 'not_clifford' })
}
