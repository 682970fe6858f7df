import { Checker } from './checker.ts'
import { QasmError, type QasmProblem } from './error.ts'
import type { Program } from './execute/program.ts'
import type { Scope } from './execute/scope.ts'
import type { Extent } from './extent.ts'
import { positionOf, toQasmError } from './fault.ts'
import type { ProgramFeature } from './features.ts'
import { fullLimits, type Limits } from './limits.ts'
import type { ParsedProgram } from './syntax/ast.ts'
import { openProgram } from './syntax/parse.ts'
import type { ChipNeeds } from './used-qubits.ts'
import { elementNames } from './values/arrays.ts'
import type { TypedInput } from './values/input.ts'
import { FLOAT, isBits } from './values/types.ts'
import { typeOf } from './values/values.ts'
import type { QasmWarning } from './warnings.ts'

/** Result of `checkProgram`. The numbers count what is declared correctly. */
export interface CheckReport {
  /** In the order in which values are bound. */
  inputs: TypedInput[]
  qubits: number
  clbits: number
  /** Measurements and conditions on outcomes, each statement once, and the line of the last of each. */
  measurements: Extent
  branches: Extent
  features: ProgramFeature[]
  used: ChipNeeds
  /** Whether a time is given in `dt`, whose length is that of a device. */
  usesDt: boolean
  /** In text order; empty for a valid program. */
  problems: QasmProblem[]
  /** In text order. */
  warnings: QasmWarning[]
}

const NOTHING: Extent = { amount: 0, line: 0 }
const NONE_USED: ChipNeeds = { qubits: 0, physical: [], pairs: [], groups: [] }

/** Number of statements that are parsed before they are checked. */
const STATEMENTS_AT_ONCE = 1_000

/** Parses and checks a program. Throws `QasmError` for the first problem in text order. */
export function parseProgram(text: string, limits?: Partial<Limits>): Program {
  const full = fullLimits(limits)
  const { program, maxStatements } = openProgram(text, full)
  while (maxStatements(STATEMENTS_AT_ONCE)) full.checkpoint?.()
  const checker = new Checker(program, full)
  checker.checkAll(program.statements)
  const [first] = checker.problems.toSorted((a, b) => a.at - b.at)
  if (first !== undefined) throw toQasmError(first, text)
  const { layout, gateSteps, warnings } = checker
  const inputs = typedInputs(program, checker)
  return { ...program, inputs, layout, gateSteps, warnings: warnings.inText(text) }
}

/** Syntax errors that are reported; further ones are usually consequences. */
const MAX_SYNTAX_ERRORS = 20

/**
 * Finds all problems of a program, for editors and dry runs. Syntax errors are reported alone: what follows
 * may use what could not be read.
 */
export function checkProgram(text: string, limits?: Partial<Limits>): CheckReport {
  const full = fullLimits(limits)
  const errors: QasmError[] = []
  try {
    const { program, maxStatements, skipStatement } = openProgram(text, full)
    const checker = new Checker(program, full)
    let isMore: boolean
    do {
      try {
        isMore = maxStatements(STATEMENTS_AT_ONCE)
      } catch (error) {
        if (!(error instanceof QasmError && error.code === 'syntax_error')) throw error
        errors.push(error)
        isMore = errors.length < MAX_SYNTAX_ERRORS && skipStatement()
      }
      // Checked statements are discarded, because the tree of a program takes many times the memory of its
      // text.
      const read = program.statements.splice(0)
      if (errors.length === 0) checker.checkAll(read)
    } while (isMore)
    return errors.length === 0 ? reportOf(program, checker) : unreadable(errors)
  } catch (error) {
    if (!(error instanceof QasmError)) throw error
    return unreadable([...errors, error])
  }
}

/** The report of a program of which a part could not be read. */
function unreadable(errors: readonly QasmError[]): CheckReport {
  return {
    inputs: [],
    qubits: 0,
    clbits: 0,
    measurements: NOTHING,
    branches: NOTHING,
    features: [],
    used: NONE_USED,
    usesDt: false,
    problems: errors.map(problemOf),
    warnings: [],
  }
}

function reportOf(program: ParsedProgram, checker: Checker): CheckReport {
  const { inputs, outputs, text, usesDt } = program
  const { layout, problems, features, used, warnings } = checker
  // Registers declared before the first output were counted as part of the result.
  const results = layout.cregs.filter(([name]) => outputs.length === 0 || outputs.includes(name))
  return {
    inputs: typedInputs(program, checker),
    qubits: layout.qubits + layout.hardware,
    clbits: results.reduce((bits, [, size]) => bits + size, 0),
    measurements: extentOf(features.measurements, text),
    branches: extentOf(features.branches, text),
    features: [...features.found, ...(inputs.length > 0 ? (['inputs'] as const) : [])],
    used: used.needs,
    usesDt,
    problems: problems.toSorted((a, b) => a.at - b.at).map((fault) => problemOf(toQasmError(fault, text))),
    warnings: warnings.inText(text),
  }
}

function extentOf({ amount, at }: { amount: number; at: number }, text: string): Extent {
  return at < 0 ? NOTHING : { amount, line: positionOf(text, at).line }
}

function typedInputs({ inputs }: ParsedProgram, { scope }: Checker): TypedInput[] {
  return inputs.flatMap((name) => inputsOf(scope, name))
}

/** An input, or each element of an array. Of one whose declaration is wrong, the type does not matter. */
function inputsOf(scope: Scope, name: string): TypedInput[] {
  const entry = scope.own(name)
  if (entry?.kind === 'variable') return [{ name, type: entry.type }]
  const type = entry?.kind === 'reference' ? typeOf(entry.value) : FLOAT
  if (type.kind === 'array')
    return elementNames(name, type.shape).map((element) => ({ name: element, type: type.element }))
  return [{ name, type: isBits(type) ? type : FLOAT }]
}

function problemOf({ code, message, line, column }: QasmError): QasmProblem {
  return { code, message, line, column }
}
