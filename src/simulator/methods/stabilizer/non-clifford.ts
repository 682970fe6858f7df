import type { Refusal } from '../../define-method.ts'

/** A step that the stabilizer method cannot simulate. */
export interface NonCliffordStep {
  kind: string
  name?: string
}

function nonCliffordReason({ kind, name }: NonCliffordStep): string {
  return kind === 'channel'
    ? 'the noise is not made of Pauli operators'
    : `the gate ${name ?? kind} is not Clifford`
}

/** The refusal of a circuit with such a step. */
export function nonCliffordRefusal(step: NonCliffordStep): Refusal {
  return { code: 'not_clifford', reason: nonCliffordReason(step) }
}
