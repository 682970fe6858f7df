import type { Circuit, MeasureOp, Op, OpenChoice, OpenSink } from '../circuit.ts'
import { Fault, positioned } from '../fault.ts'
import { fullLimits, type Limits } from '../limits.ts'
import { Tape } from '../template/tape.ts'
import { isBits } from '../values/types.ts'
import { type Cell, FIRST_OUTCOME, UNDETERMINED } from '../values/values.ts'
import { warningTexts } from '../warnings.ts'
import { boundInput } from './declare.ts'
import { Undecided } from './machine.ts'
import type { LeavableSink, Position } from './position.ts'
import type { Program } from './program.ts'
import { Runner } from './run.ts'

/**
 * Executes the classical part of a program and expands gates, subroutines, loops and modifiers. `values` are
 * bound to the inputs in declaration order. If outcomes control the program, or end up in bits in a way that
 * a list of measurements cannot represent, the circuit is `dynamic` and has no `ops`. Throws `QasmError`.
 */
export function lowerProgram(program: Program, values: readonly number[], limits?: Partial<Limits>): Circuit {
  return positioned(program.text, () => {
    assertValueCount(program, values)
    return flatten(program, values, limits)
  })
}

/** Executes a program; with a `tape`, without values of its inputs. */
function flatten(
  program: Program,
  values: readonly number[],
  limits: Partial<Limits> | undefined,
  tape?: Tape,
): Circuit {
  const ops: Op[] = []
  const measurements: MeasureOp[] = []
  const runner = new Runner(
    program,
    values,
    {
      emit: (op) => ops.push(op),
      measure(qubit) {
        const op: MeasureOp = { kind: 'measure', qubit, clbit: -1 }
        ops.push(op)
        return FIRST_OUTCOME + measurements.push(op) - 1
      },
    },
    fullLimits(limits),
    tape,
  )
  const isStatic = finishes(runner)
  const circuit = { ...shapeOf(program), warnings: warningTexts(program.warnings) }
  if (!isStatic) return { ...circuit, dynamic: true }
  const { cells } = runner.layout
  if (placeOutcomes(program, cells, measurements)) return { ...circuit, dynamic: false, ops }
  for (const [index, op] of measurements.entries()) op.clbit = index
  const states = cells.map(({ state }) => state)
  return { ...circuit, dynamic: true, computed: { ops, measurements: measurements.length, states } }
}

/** A flat circuit of which the inputs decide only the angles of gates. */
export interface Template {
  /** The steps that depend on inputs are those of generic angles. */
  circuit: Circuit & { ops: Op[] }
  /** Number of computations and gates that depend on inputs. */
  computations: number
  /**
   * The steps for these values of the inputs, by the steps of `circuit` that they replace. Throws `QasmError`
   * as `lowerProgram` does.
   */
  bind(values: readonly number[]): ReadonlyMap<Op, Op>
}

/**
 * Lowers a program once for all values of its inputs. Undefined for a program whose inputs or outcomes decide
 * more than angles, and for one with a problem, which `lowerProgram` reports.
 */
export function lowerTemplate(program: Program, limits?: Partial<Limits>): Template | undefined {
  if (program.inputs.some(({ type }) => isBits(type))) return undefined
  const tape = new Tape()
  const circuit = flattenOpen(program, tape, limits)
  if (!circuit?.ops) return undefined
  const { ops } = circuit
  const emitted = new Set(ops)
  // A modifier replaces steps by others.
  for (const placeholder of tape.placeholders) if (!emitted.has(placeholder)) return undefined
  const places = new Map(
    program.statements.flatMap((node) => (node.kind === 'declare' ? [[node.name, node.nameAt]] : [])),
  )
  return {
    circuit: { ...circuit, ops },
    computations: tape.length,
    bind: (values) =>
      positioned(program.text, () => {
        assertValueCount(program, values)
        return tape.bind(
          program.inputs.map((input, index) =>
            boundInput(input, values[index] as number, places.get(input.name.replace(/\[.*/, '')) ?? 0),
          ),
        )
      }),
  }
}

function flattenOpen(program: Program, tape: Tape, limits: Partial<Limits> | undefined): Circuit | undefined {
  try {
    return flatten(program, [], limits, tape)
  } catch (error) {
    if (error instanceof Fault) return undefined
    throw error
  }
}

/** @throws Fault `parameter_count`. */
export function assertValueCount(program: Program, values: readonly number[]): void {
  const wanted = program.inputs.length
  if (values.length === wanted) return
  const first = program.statements.find((node) => node.kind === 'declare' && node.form === 'input')
  throw new Fault(
    'parameter_count',
    first?.at ?? 0,
    `The program takes ${wanted} parameter value${wanted === 1 ? '' : 's'}, not ${values.length}`,
  )
}

function finishes(runner: Runner): boolean {
  try {
    runner.run()
    return true
  } catch (error) {
    if (error instanceof Undecided) return false
    throw error
  }
}

/** The registers of a program. */
export function shapeOf({ layout }: Program): Pick<Circuit, 'qubits' | 'clbits' | 'qregs' | 'cregs'> {
  const qregs: [string, number][] = layout.qregs.map(([name, size]) => [name, size])
  if (layout.hardware > 0) qregs.push(['$', layout.hardware])
  return {
    qubits: layout.qubits + layout.hardware,
    clbits: layout.clbits,
    qregs,
    cregs: layout.cregs.map(([name, size]) => [name, size]),
  }
}

/**
 * Assigns to each measurement the bit that holds its outcome at the end. Returns false if that cannot
 * represent the result: a bit is 1 without being measured, holds a computed value, or one outcome is in two
 * bits.
 */
function placeOutcomes(
  program: Program,
  cells: readonly Cell[],
  measurements: readonly MeasureOp[],
): boolean {
  for (let clbit = 0; clbit < program.layout.clbits; clbit++) {
    const state = cells[clbit]?.state ?? 0
    if (state === 0) continue
    const op = measurements[state - FIRST_OUTCOME]
    if (op === undefined || op.clbit !== -1) return false
    op.clbit = clbit
  }
  return true
}

/**
 * Runs a program once with actual outcomes, from the start or where another run was left, and passes every
 * operation to the sink in program order. Returns the classical bits at the end. Throws `QasmError`.
 */
export function runDynamic(
  program: Program,
  values: readonly number[],
  sink: LeavableSink,
  limits?: Partial<Limits>,
  from?: Position,
): Uint8Array {
  return positioned(program.text, () => {
    assertValueCount(program, values)
    const output = {
      emit: (op: Op) => sink.apply(op),
      measure: (qubit: number) => sink.measure(qubit),
      ...(sink.pause && { pause: (take: () => Position) => sink.pause?.(take) }),
    }
    const runner = new Runner(program, values, output, fullLimits(limits))
    runner.run(from)
    const bits = new Uint8Array(program.layout.clbits)
    for (const [clbit, cell] of runner.layout.cells.entries()) bits[clbit] = cell.state
    return bits
  })
}

/**
 * Runs a program once with outcomes that may be open, and passes every operation to the sink in program
 * order. Returns what each classical bit holds at the end: 0, 1, or `FIRST_OUTCOME` plus the index of the
 * measurement whose open outcome it is. Returns undefined when an open outcome decides what is executed next,
 * or a bit is computed from one. Throws `QasmError`.
 */
export function runOpen(
  program: Program,
  values: readonly number[],
  sink: OpenSink,
  limits?: Partial<Limits>,
): Int32Array | undefined {
  return positioned(program.text, () => {
    assertValueCount(program, values)
    let measurements = 0
    const output = {
      emit: (op: Op) => sink.apply(op),
      measure(qubit: number) {
        const index = measurements++
        return sink.measure(qubit) ?? FIRST_OUTCOME + index
      },
      ...(sink.choose && { choose: (choice: OpenChoice) => sink.choose?.(choice) }),
    }
    const runner = new Runner(program, values, output, fullLimits(limits))
    if (!finishes(runner)) return undefined
    const bits = new Int32Array(program.layout.clbits)
    for (const [clbit, cell] of runner.layout.cells.entries()) bits[clbit] = cell.state
    return bits.includes(UNDETERMINED) ? undefined : bits
  })
}
