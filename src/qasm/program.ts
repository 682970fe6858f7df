import type { GateNode, ParsedProgram } from './ast.ts'
import { Checker } from './check.ts'
import { QasmError, type QasmProblem } from './error.ts'
import { toQasmError } from './fault.ts'
import type { Layout } from './layout.ts'
import { DEFAULT_LIMITS, type Limits } from './limits.ts'
import { parseText } from './parse.ts'

/** A parsed and checked program. Immutable: lower it as often as needed with different parameter values. */
export interface Program extends ParsedProgram {
  /** Qubits and bits that it declares. */
  readonly layout: Layout
  /** Steps of one call of each gate, to refuse an expansion before it happens. */
  readonly gateSteps: ReadonlyMap<GateNode, number>
}

/** What `checkProgram` found out. The numbers count what was declared correctly. */
export interface CheckReport {
  /** Names of the inputs in the order in which values are bound. */
  inputs: string[]
  qubits: number
  clbits: number
  /** In text order; empty for a correct program. */
  problems: QasmProblem[]
}

/** Limits with defaults for those not named. */
export function fullLimits(limits: Partial<Limits> | undefined): Limits {
  return { ...DEFAULT_LIMITS, ...limits }
}

/** Statements checked from one pause to the next. */
const STATEMENTS_AT_ONCE = 1_000

function* check(parsed: ParsedProgram, limits: Limits): Generator<void, Checker> {
  const checker = new Checker(parsed, limits)
  const { statements } = parsed
  for (let first = 0; first < statements.length; first += STATEMENTS_AT_ONCE) {
    checker.checkAll(statements.slice(first, first + STATEMENTS_AT_ONCE))
    yield
  }
  return checker
}

/** Does all of a work without its pauses. */
function finish<T>(work: Generator<void, T>): T {
  for (;;) {
    const { done, value } = work.next()
    if (done) return value
  }
}

/** Parses and checks a program; throws `QasmError` for the first problem in text order. */
export function parseProgram(text: string, limits?: Partial<Limits>): Program {
  const full = fullLimits(limits)
  const parsed = finish(parseText(text, full))
  const { problems, layout, gateSteps } = finish(check(parsed, full))
  const [first] = problems.toSorted((a, b) => a.at - b.at)
  if (first !== undefined) throw toQasmError(first, text)
  return { ...parsed, layout, gateSteps }
}

/** Finds all problems of a program, for editors and dry runs; a syntax error is the only one reported. */
export function checkProgram(text: string, limits?: Partial<Limits>): CheckReport {
  return finish(checking(text, fullLimits(limits)))
}

/** As `checkProgram`, but calls `pause` every few ms, and goes on when it has ended. */
export async function checkProgramInParts(text: string, pause: () => Promise<void>): Promise<CheckReport> {
  const work = checking(text, fullLimits({}))
  for (;;) {
    const { done, value } = work.next()
    if (done) return value
    await pause()
  }
}

function* checking(text: string, limits: Limits): Generator<void, CheckReport> {
  try {
    const parsed = yield* parseText(text, limits)
    const { problems, layout } = yield* check(parsed, limits)
    return {
      inputs: parsed.inputs.map(({ name }) => name),
      qubits: layout.qubits + layout.hardware,
      clbits: layout.clbits,
      problems: problems.toSorted((a, b) => a.at - b.at).map((fault) => problemOf(toQasmError(fault, text))),
    }
  } catch (error) {
    if (!(error instanceof QasmError)) throw error
    return { inputs: [], qubits: 0, clbits: 0, problems: [problemOf(error)] }
  }
}

function problemOf({ code, message, line, column }: QasmError): QasmProblem {
  return { code, message, line, column }
}
