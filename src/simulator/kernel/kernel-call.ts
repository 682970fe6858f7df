/**
 * One gate on a state; qubits are bit masks. It acts where the qubits of `controls` have the bits of `value`.
 * A `scale` whose value has all its controls set is a phase term: phase terms commute and can be merged.
 */
export type KernelCall =
  | { kind: 'scale'; controls: number; value: number; re: number; im: number }
  | { kind: 'flip'; target: number; controls: number; value: number }
  | { kind: 'swap'; targets: number[]; controls: number; value: number }
  | { kind: 'one'; target: number; controls: number; value: number; matrix: Float64Array }
  | { kind: 'many'; targets: number[]; controls: number; value: number; matrix: Float64Array }

export type Scale = Extract<KernelCall, { kind: 'scale' }>

/** The qubits a call may change, as a mask; its controls are not among them. */
export function targetsOf(call: KernelCall): number {
  if (call.kind === 'scale') return 0
  if (call.kind === 'flip' || call.kind === 'one') return call.target
  return call.targets.reduce((mask, target) => mask | target, 0)
}

/** Whether a 2 x 2 matrix has no imaginary parts. */
export function isReal(matrix: Float64Array): boolean {
  return matrix[1] === 0 && matrix[3] === 0 && matrix[5] === 0 && matrix[7] === 0
}
