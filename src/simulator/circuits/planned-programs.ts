import { Recent } from '../../base/index.ts'
import { gateTimes, lowerTemplate, type Op, type Program, type Template } from '../../qasm/index.ts'
import { type Observable, observedQubits } from '../exact/observables.ts'
import { type NoiseModel, withNoise } from '../noise/noise-model.ts'
import { isDiagonal, type ReducedCircuit, reduceCircuit, type StateOp } from '../reduction/reduce-circuit.ts'
import type { TimeBudget } from '../timing/time-budget.ts'
import { MAX_CHARACTERS } from './parsed-programs.ts'

/** A lowered and reduced program, for all values of its inputs. */
interface PlannedProgram {
  template: Template
  /** With the noise of the device. */
  reduced: ReducedCircuit
}

/** What a reduced program depends on besides its text. */
export interface PlanRequest {
  noise: NoiseModel | undefined
  /** Pauli sums of which the mean is asked for. */
  observables: readonly Observable[]
  timeBudget: TimeBudget
}

/** Bytes of a step with those that a method makes of it, and of a computation. */
const STEP_BYTES = 384
/** Bytes of a matrix with those of the kernel that become of it. */
const MATRIX_BYTES = 640

/** By observables, noise and text; null for a program whose inputs decide more than angles. */
const planned = new Recent<PlannedProgram | null>({ entries: 64, size: 16 * 2 ** 20 })

/** Numbers of noise models: a file that is read again gives another model. */
const numbers = new WeakMap<NoiseModel, number>()
let models = 0

/**
 * Lowers and reduces a program, or returns one of the last ones of the same text, noise and observables:
 * variational loops repeat theirs with other values. Undefined for a program that is lowered for each set of
 * values: a long one, and one whose inputs or outcomes decide more than the angles of gates.
 */
export function plannedProgram(program: Program, request: PlanRequest): PlannedProgram | undefined {
  const { noise, observables, timeBudget } = request
  if (program.text.length > MAX_CHARACTERS) return undefined
  const key = `${JSON.stringify(observables)} ${noise ? numberOf(noise) : ''}\n${program.text}`
  const known = planned.get(key)
  if (known !== undefined) return known ?? undefined
  const template = lowerTemplate(program, { checkpoint: () => timeBudget.check() })
  if (!template) {
    planned.add(key, null, key.length)
    return undefined
  }
  const { ops } = template.circuit
  const reduced = reducedFor(template.circuit, request)
  const plan = { template, reduced }
  const steps = ops.length + reduced.ops.length + template.computations
  const matrices = new Set(ops.map((op) => op.kind === 'unitary' && op.matrix)).size
  planned.add(key, plan, key.length + STEP_BYTES * steps + MATRIX_BYTES * matrices)
  return plan
}

/**
 * The circuit for these values of the inputs. One with a gate that is diagonal for them, such as a rotation
 * by 0, may depend on fewer steps or have other noise and is reduced again, so that a method refuses it only
 * if it refuses the same program with the values written in it. Throws `QasmError`.
 */
export function boundPlan(
  { template, reduced }: PlannedProgram,
  values: readonly number[],
  request: PlanRequest,
): ReducedCircuit {
  if (template.computations === 0) return reduced
  const bound = template.bind(values)
  const isSpecial = [...bound].some(
    ([op, other]) => isDiagonalGate(op) !== isDiagonalGate(other) || timesOf(op) !== timesOf(other),
  )
  if (isSpecial) return reducedFor(template.circuit, request, bound)
  return { ...reduced, ops: reduced.ops.map((op) => (bound.get(op as never) as StateOp | undefined) ?? op) }
}

const timesOf = (op: Op) => (op.kind === 'unitary' || op.kind === 'phase' ? gateTimes(op) : 0)

function isDiagonalGate(op: Op): boolean {
  return op.kind === 'phase' || (op.kind === 'unitary' && isDiagonal(op.matrix))
}

/** A circuit with its noise, reduced to what is asked for; `bound` has the steps that replace others. */
function reducedFor(
  { ops, qubits, clbits }: Template['circuit'],
  { noise, observables, timeBudget }: PlanRequest,
  bound?: ReadonlyMap<Op, Op>,
): ReducedCircuit {
  timeBudget.enter('plan')
  const steps = bound ? ops.map((op) => bound.get(op) ?? op) : ops
  return reduceCircuit(withNoise(steps, noise, timeBudget), qubits, clbits, {
    work: timeBudget,
    observed: observedQubits(observables),
  })
}

function numberOf(noise: NoiseModel): number {
  const number = numbers.get(noise) ?? ++models
  numbers.set(noise, number)
  return number
}
