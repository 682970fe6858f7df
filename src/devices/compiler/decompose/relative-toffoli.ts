import { type Op, ryMatrix, type UnitaryOp } from '../../../qasm/index.ts'
import { BasisValues } from './basis-values.ts'
import { HADAMARD, PAULI_X } from './matrix.ts'
import { NEGLIGIBLE } from './one-qubit.ts'
import type { StepList } from './step.ts'

/** Which control of a gate stands once between three CZ, and which twice. */
export interface Roles {
  once: number
  twice: number
}

/** A gate that waits for its partner. */
interface Open {
  index: number
  roles: Roles
  /** The value that `roles.once` has. */
  once: number
  /** The value of the target before and after it. */
  targets: readonly number[]
}

/**
 * Finds gates of two controls and a target (ccx) that may change the sign of a basis state, so that three CZ
 * suffice (Margolus; Maslov, Phys. Rev. A 93, 022311 (2016)): the sign is that of `once` and not `twice` and
 * the target. Where two such gates have the same values, both signs cancel on every path of the circuit,
 * whatever acts between them; and where the target is 0 there is none. No pair spans a barrier, a delay, a
 * measurement or a reset.
 * @returns the controls by index of the operation
 */
export function relativeToffolis(ops: readonly Op[]): ReadonlyMap<number, Roles> {
  const found = new Map<number, Roles>()
  if (!ops.some(isToffoli)) return found
  const values = new BasisValues()
  const open = new Map<string, Open[]>()
  for (const [index, op] of ops.entries()) {
    if (isToffoli(op)) pair(index, op, values, open, found)
    else if (!['unitary', 'phase'].includes(op.kind)) open.clear()
    values.apply(op)
  }
  return found
}

/** Notes a gate with its partner among those that are open, or opens it. */
function pair(
  index: number,
  op: UnitaryOp,
  values: BasisValues,
  open: Map<string, Open[]>,
  found: Map<number, Roles>,
): void {
  const [[target = 0], [first = 0, second = 0]] = [op.targets, op.controls]
  const roles = { once: first, twice: second }
  const [once = 0, twice = 0] = values.met(op)
  const key = once < twice ? `${once} ${twice}` : `${twice} ${once}`
  const waiting = open.get(key) ?? []
  const before = values.of(target)
  const at = waiting.findIndex(({ targets }) => targets.includes(before))
  const [partner] = at < 0 ? [] : waiting.splice(at, 1)
  if (partner) {
    found.set(partner.index, partner.roles)
    found.set(index, partner.once === once ? roles : { once: second, twice: first })
  } else if (before === 0) {
    found.set(index, roles)
  } else {
    open.set(key, [...waiting, { index, roles, once, targets: [before, values.after(op)] }])
  }
}

/** Whether an operation flips a target where two controls are met, without a phase. */
function isToffoli(op: Op): op is UnitaryOp {
  if (op.kind !== 'unitary' || op.targets.length !== 1 || op.controls.length !== 2) return false
  return op.matrix.every((value, at) => Math.abs(value - (PAULI_X[at] ?? 0)) < NEGLIGIBLE)
}

/** Adds a gate that `relativeToffolis` has found. */
export function addRelativeToffoli(list: StepList, op: UnitaryOp, { once, twice }: Roles): void {
  const [target = 0] = op.targets
  const flipped = op.controls.filter((_, index) => ((op.controlValues >> index) & 1) === 0)
  for (const qubit of flipped) list.local(qubit, PAULI_X)
  for (const [control, angle] of [
    [twice, Math.PI / 4],
    [once, Math.PI / 4],
    [twice, -Math.PI / 4],
  ] as const) {
    list.local(target, ryMatrix(angle), HADAMARD)
    list.cz(control, target)
    list.local(target, HADAMARD)
  }
  list.local(target, ryMatrix(-Math.PI / 4))
  for (const qubit of flipped) list.local(qubit, PAULI_X)
}
