import type { Op } from '../circuit.ts'
import type { NativeGate } from '../gates/native-gate.ts'
import type { ScalarType, Type } from '../values/types.ts'
import { isKnown, type UnknownValue, type Value } from '../values/values.ts'

/** A value that bound inputs decide: `slot` is the step of the tape that computes it. */
type DeferredValue = UnknownValue & { slot: number }

/** A parameter of a gate, rad: a number, or the real value of a step. */
export type Angle = number | DeferredValue

/** A step of the circuit whose matrix depends on inputs. */
interface DeferredGate {
  gate: NativeGate
  angles: readonly Angle[]
  qubits: readonly number[]
}

type Compute = (values: readonly Value[], inputs: readonly Value[]) => Value

/** Angles at which no gate has a special matrix, so that a placeholder is diagonal only if all angles are. */
const genericAngle = (index: number) => 0.7 + 0.31 * index

/** Whether a tape computes the value. */
export function isDeferred(value: Value): value is DeferredValue {
  return value.kind === 'unknown' && value.slot !== undefined
}

/**
 * Records what a program computes from its inputs, so that it is repeated for other values without executing
 * the program: each step once, in the order of the program, however often its value is used.
 */
export class Tape {
  readonly #steps: Compute[] = []
  readonly #gates = new Map<Op, DeferredGate>()
  #inputs = 0

  /** Number of steps and gates, for the size in memory. */
  get length(): number {
    return this.#steps.length + this.#gates.size
  }

  /** The steps of the circuit that `bind` replaces. */
  get placeholders(): Iterable<Op> {
    return this.#gates.keys()
  }

  /** The value of an input, which `bind` receives in the order of these calls. */
  input(type: ScalarType): DeferredValue {
    const index = this.#inputs++
    return this.#add(type, (_, inputs) => inputs[index] as Value)
  }

  /**
   * The value with the step that computes it from these operands. A value that depends on something other
   * than inputs, as on a measurement, stays unknown.
   */
  record(value: Value, operands: readonly Value[], compute: (operands: readonly Value[]) => Value): Value {
    if (value.kind !== 'unknown' || !operands.every((each) => isDeferred(each) || isPlain(each))) return value
    const slots = operands.map((each) => (isDeferred(each) ? each.slot : -1))
    return this.#add(value.type, (values) =>
      compute(operands.map((each, index) => values[slots[index] as number] ?? each)),
    )
  }

  #add(type: Type, compute: Compute): DeferredValue {
    const slot = this.#steps.push(compute) - 1
    return { kind: 'unknown', type, slot }
  }

  /** Emits a gate with generic angles in place of those that inputs decide. */
  emit(gate: NativeGate, angles: readonly Angle[], qubits: readonly number[], emit: (op: Op) => void): void {
    const generic = angles.map((angle, index) => (typeof angle === 'number' ? angle : genericAngle(index)))
    gate.build(generic, qubits, (op) => {
      this.#gates.set(op, { gate, angles: [...angles], qubits: [...qubits] })
      emit(op)
    })
  }

  /** The steps of the circuit for the values of the inputs, by their placeholders. */
  bind(inputs: readonly Value[]): Map<Op, Op> {
    const values: Value[] = []
    for (const compute of this.#steps) values.push(compute(values, inputs))
    const bound = new Map<Op, Op>()
    for (const [placeholder, { gate, angles, qubits }] of this.#gates)
      gate.build(numbersOf(angles, values), qubits, (op) => bound.set(placeholder, op))
    return bound
  }
}

function numbersOf(angles: readonly Angle[], values: readonly Value[]): number[] {
  return angles.map((angle) => {
    if (typeof angle === 'number') return angle
    const value = values[angle.slot]
    // A wrong angle would complete the job with meaningless counts.
    if (value?.kind !== 'float') throw new Error(`the angle in slot ${angle.slot} of the plan is no float`)
    return value.value
  })
}

/** Whether a known value is not a reference, whose contents may change. */
function isPlain(value: Value): boolean {
  return isKnown(value) && value.kind !== 'bits' && value.kind !== 'array' && value.kind !== 'qubits'
}
