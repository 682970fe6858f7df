import type { FieldError } from '../../../base/index.ts'
import type { JobPayload } from '../../../protocol/index.ts'
import type { CheckReport, QasmProblem } from '../../../qasm/index.ts'
import { checkEach } from '../../programs/check-each.ts'
import type { ProgramChecker } from '../../programs/checker.ts'

/** One problem of a submission: its path (`circuits.0.circuit`) and what to do about it. */
export interface Problem extends FieldError {
  path: string
}

/** What the programs of a job declare, and their problems. */
export interface ProgramsReport {
  /** Of the largest program. */
  qubits: number
  /** Index of the largest program. */
  largest: number
  problems: Problem[]
}

/**
 * Checks each program of `account`, and its parameter sets against its inputs. Throws what
 * `ProgramChecker.check` throws.
 */
export async function checkPrograms(
  { circuits }: JobPayload,
  { checker, account }: { checker: ProgramChecker; account: string },
): Promise<ProgramsReport> {
  const programs = circuits.map(({ circuit }) => circuit)
  return reportOn(circuits, await checker.check(programs, account))
}

/** Like `checkPrograms`, at once, where nobody else waits. */
export function checkProgramsNow({ circuits }: JobPayload): ProgramsReport {
  return reportOn(circuits, checkEach(circuits.map(({ circuit }) => circuit)))
}

function reportOn(circuits: JobPayload['circuits'], reports: readonly CheckReport[]): ProgramsReport {
  const result: ProgramsReport = { qubits: 0, largest: 0, problems: [] }
  for (const [index, { inputs, qubits, problems }] of reports.entries()) {
    if (qubits > result.qubits) Object.assign(result, { qubits, largest: index })
    result.problems.push(
      ...problems.map((problem) => programProblem(index, problem)),
      ...(problems.length === 0 ? setProblems(index, inputs, circuits[index]?.parameter_values) : []),
    )
  }
  return result
}

function programProblem(index: number, { code, message, line, column }: QasmProblem): Problem {
  return { path: `circuits.${index}.circuit`, code, message, params: { line, column } }
}

/** Names of inputs that an error message lists. */
const MAX_NAMES_SHOWN = 5

function setProblems(index: number, inputs: readonly string[], sets: readonly number[][] = []): Problem[] {
  const wanted = inputs.length
  const takes = `Circuit ${index} takes ${wanted} ${wanted === 1 ? 'parameter' : 'parameters'}`
  const params = { expected: wanted }
  if (sets.length === 0) {
    if (wanted === 0) return []
    const names = `${inputs.slice(0, MAX_NAMES_SHOWN).join(', ')}${wanted > MAX_NAMES_SHOWN ? ', …' : ''}`
    const message = `${takes} (${names}); send their values in this order.`
    return [{ path: `circuits.${index}.parameter_values`, code: 'parameter_count', message, params }]
  }
  // Some clients send the values of a circuit that they have already bound.
  if (wanted === 0 && sets.length === 1) return []
  return sets.flatMap((set, number) => {
    if (set.length === wanted) return []
    const message = `${takes}, set ${number} has ${set.length}.`
    const path = `circuits.${index}.parameter_values.${number}`
    return [{ path, code: 'parameter_count', message, params: { ...params, given: set.length } }]
  })
}
