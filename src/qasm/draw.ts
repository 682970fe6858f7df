import { type Op, secondsOf } from './circuit.ts'
import { assertValueCount, shapeOf } from './execute/lower.ts'
import { type GateCall, Undecided } from './execute/machine.ts'
import type { Program } from './execute/program.ts'
import { Runner } from './execute/run.ts'
import { Fault, positioned, positionOf } from './fault.ts'
import { fullLimits } from './limits.ts'
import { type Cell, FIRST_OUTCOME } from './values/values.ts'

/** A qubit that controls a gate, and the value at which it acts. */
export interface Control {
  qubit: number
  value: 0 | 1
}

interface Place {
  /** The line of the program that causes the step, from 1. */
  line: number
  /** Whether measurement outcomes decide if it is executed. */
  conditional: boolean
}

/** One symbol of a circuit diagram; gates appear as they are called, not as they are defined. */
export type DrawnStep = Place &
  (
    | {
        kind: 'gate'
        name: string
        parameters: number[]
        targets: number[]
        /** Controls of modifiers; those that the gate itself has are among its targets. */
        controls: Control[]
        isInverse: boolean
        /** Product of the exponents of `pow`. */
        power: number
      }
    | { kind: 'measure'; qubit: number; clbit: number }
    | { kind: 'reset'; qubit: number }
    | { kind: 'barrier'; qubits: number[] }
    | { kind: 'delay'; qubits: number[]; seconds: number }
  )

/** A program as a circuit diagram shows it: loops and subroutines are expanded, gates are not. */
export interface Drawing {
  /** Registers with their sizes in order of declaration; the first has the lowest indices. */
  qregs: [string, number][]
  cregs: [string, number][]
  steps: DrawnStep[]
  /**
   * Why steps are missing at the end: there are more than `maxSteps`, or measurement outcomes decide how
   * often something is repeated.
   */
  missing: 'too_many' | 'undecided' | undefined
}

/** Thrown when the drawing is full. */
class Full extends Error {}

/** Work for one diagram, far less than what running the program may take. */
const MAX_OPERATIONS = 200_000

/**
 * The diagram of a program with `values` bound to its inputs, at most `maxSteps` long. Where a measurement
 * outcome decides, both branches are drawn. Throws `QasmError`.
 */
export function drawProgram(program: Program, values: readonly number[], maxSteps: number): Drawing {
  return positioned(program.text, () => {
    assertValueCount(program, values)
    const lineOf = lineFinder(program.text)
    const steps: DrawnStep[] = []
    const measured: Extract<DrawnStep, { kind: 'measure' }>[] = []
    let conditional = false
    const add = (step: DrawnStep) => {
      if (steps.length >= maxSteps) throw new Full()
      steps.push(step)
    }
    const placeOf = (at: number): Place => ({ line: lineOf(at), conditional })
    const runner = new Runner(
      program,
      values,
      {
        emit: (op, at) => add({ ...placeOf(at), ...stepOf(op) }),
        callGate: (call) => add({ ...placeOf(call.at), ...gateStep(call) }),
        measure(qubit, at) {
          const step = { ...placeOf(at), kind: 'measure' as const, qubit, clbit: -1 }
          add(step)
          return FIRST_OUTCOME + measured.push(step) - 1
        },
        branch(work) {
          const before = conditional
          conditional = true
          try {
            work()
          } finally {
            conditional = before
          }
        },
      },
      limits,
    )
    const missing = runUntilMissing(runner)
    for (const [clbit, { state }] of (runner.layout.cells as Cell[]).entries()) {
      const step = measured[state - FIRST_OUTCOME]
      if (step) step.clbit = clbit
    }
    const { qregs, cregs } = shapeOf(program)
    return { qregs, cregs, steps, missing }
  })
}

const limits = fullLimits({ operations: MAX_OPERATIONS })

function runUntilMissing(runner: Runner): Drawing['missing'] {
  try {
    runner.run()
    return undefined
  } catch (error) {
    if (error instanceof Undecided) return 'undecided'
    const isTooLong = error instanceof Fault && error.code === 'too_many_operations'
    if (error instanceof Full || isTooLong) return 'too_many'
    throw error
  }
}

/** The only operations that are emitted while gate calls are drawn. */
function stepOf(op: Op) {
  if (op.kind === 'unitary' || op.kind === 'phase') throw new TypeError('a gate was expanded')
  return op.kind === 'delay' ? { kind: op.kind, qubits: op.qubits, seconds: secondsOf(op) } : op
}

/** Controls of modifiers come first among the qubits, those of the outermost modifier before all others. */
function gateStep({ name, parameters, qubits, modifiers }: GateCall) {
  const controls: Control[] = []
  let [isInverse, power] = [false, 1]
  for (const { kind, number } of modifiers) {
    if (kind === 'inv') isInverse = !isInverse
    else if (kind === 'pow') power *= number
    else {
      const value = kind === 'ctrl' ? 1 : 0
      for (let count = 0; count < number; count++) {
        controls.push({ qubit: qubits[controls.length] ?? 0, value })
      }
    }
  }
  const targets = qubits.slice(controls.length)
  return { kind: 'gate' as const, name, parameters: [...parameters], targets, controls, isInverse, power }
}

/** A function from a text offset to its line. */
function lineFinder(text: string): (at: number) => number {
  const known = new Map<number, number>()
  return (at) => {
    const found = known.get(at) ?? positionOf(text, at).line
    known.set(at, found)
    return found
  }
}
