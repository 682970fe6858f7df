import type { BarrierOp, DelayOp, Matrix, MeasureOp, ResetOp } from '../../../qasm/index.ts'

/** A unitary on one qubit. */
export interface LocalStep {
  kind: 'local'
  qubit: number
  /** 2 × 2. */
  matrix: Matrix
  /** The written gate of which it is a part, where gates are played by themselves. */
  gate?: number
  /** Whether it is a pulse whatever its matrix. */
  isPulse?: boolean
}

/** The gate that changes the sign of the state 11; its qubits may be exchanged. */
export interface CzStep {
  kind: 'cz'
  qubits: readonly [number, number]
}

/** A wait as long as so many pulses of its qubit. */
export interface IdleStep {
  kind: 'idle'
  qubit: number
  pulses: number
}

export type GateStep = LocalStep | CzStep

/** One step of a circuit whose gates act on one qubit or are CZ. */
export type Step = GateStep | IdleStep | MeasureOp | ResetOp | BarrierOp | DelayOp

/** Collects the steps of a decomposition; `Other` is what it may contain besides gates. */
export class StepList<Other extends Step = Step> {
  readonly steps: (Other | GateStep)[] = []
  /** The gate to which steps are added, where gates are played by themselves. */
  gate: number | undefined

  /** Matrices on one qubit, in the order in which they act. */
  local(qubit: number, ...matrices: readonly Matrix[]): void {
    const { gate } = this
    for (const matrix of matrices)
      this.steps.push({ kind: 'local', qubit, matrix, ...(gate !== undefined && { gate }) })
  }

  cz(one: number, other: number): void {
    this.steps.push({ kind: 'cz', qubits: [one, other] })
  }
}
