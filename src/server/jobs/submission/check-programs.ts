import type { JobPayload } from '../../../protocol/index.ts'
import {
  type CheckReport,
  inputProblem,
  type QasmProblem,
  type QasmWarning,
  type TypedInput,
} from '../../../qasm/index.ts'
import type { Problem, ProgramsReport } from '../../programs/messages.ts'
import { jobExtents, type RunOptions } from '../chip/job-extents.ts'
import { checkEach } from './check-each.ts'
import { countsWarnings, memoryProblem } from './memory-problem.ts'

/** Total characters and operations that are checked within about 5 ms, and the steps of `jobExtents`. */
const INLINE_LIMITS = { length: 64 * 1024, operations: 10_000, steps: 20 }
/** Steps of `jobExtents` in the thread: about 0.2 s. */
const MAX_STEPS = 1_000

/** Warnings of a job that a dry run names. */
const MAX_WARNINGS = 100

/**
 * Checks each program, its parameter sets against its inputs, and the length of the memory.
 * @param dt length of one `dt`, s
 */
export function checkPrograms(payload: JobPayload, dt?: number): ProgramsReport {
  const programs = payload.circuits.map(({ circuit }) => circuit)
  const { report } = withExtents(payload, checkEach(programs, { dt }), { steps: MAX_STEPS, dt })
  return report
}

/** Like `checkPrograms`; undefined when the check would block the event loop for too long. */
export function checkProgramsInline(payload: JobPayload, dt?: number): ProgramsReport | undefined {
  const programs = payload.circuits.map(({ circuit }) => circuit)
  const different = [...new Set(programs)]
  const length = different.reduce((sum, program) => sum + program.length, 0)
  if (length > INLINE_LIMITS.length) return undefined
  const operations = Math.floor(INLINE_LIMITS.operations / different.length)
  const reports = checkEach(programs, { operations, dt })
  const isCutShort = ({ code }: QasmProblem) => code === 'too_many_operations'
  if (reports.some(({ problems }) => problems.some(isCutShort))) return undefined
  const { report, isWhole } = withExtents(payload, reports, { steps: INLINE_LIMITS.steps, dt })
  return isWhole ? report : undefined
}

/** The report with what the executions take; not the whole of it if the steps were too few. */
function withExtents(payload: JobPayload, reports: readonly CheckReport[], runs: RunOptions) {
  const report = reportOn(payload, reports)
  if (report.problems.length > 0) return { report, isWhole: true }
  const { extents, problems, isWhole } = jobExtents(payload, reports, runs)
  return { report: { ...report, problems, ...(problems.length === 0 && { extents }) }, isWhole }
}

function reportOn(payload: JobPayload, reports: readonly CheckReport[]): ProgramsReport {
  const { circuits } = payload
  const bits = reports.map(({ clbits }) => clbits)
  const result: ProgramsReport = {
    qubits: 0,
    largest: 0,
    bits,
    features: [],
    dtPath: dtPathOf(reports),
    chip: [],
    problems: [],
    warnings: [],
    ignored: [],
  }
  const different = new Set<string>()
  for (const [index, report] of reports.entries()) {
    const { inputs, qubits, features, used, problems, warnings } = report
    const path = `circuits.${index}.circuit`
    if (qubits > result.qubits) Object.assign(result, { qubits, largest: index })
    const text = JSON.stringify(used)
    if (!different.has(text)) result.chip.push({ path, needs: used })
    different.add(text)
    for (const name of features) {
      if (!result.features.some((known) => known.name === name)) result.features.push({ name, path })
    }
    result.problems.push(
      ...problems.map((problem) => programProblem(index, problem)),
      ...(problems.length === 0 ? setProblems(index, inputs, circuits[index]?.parameter_values) : []),
    )
    const fitting = warningsOf(report, circuits[index]?.expectation_values === undefined).slice(
      0,
      MAX_WARNINGS - result.warnings.length,
    )
    result.warnings.push(...fitting.map((warning) => programProblem(index, warning)))
    result.ignored.push(...ignoredIn(index, warnings).slice(0, MAX_WARNINGS - result.ignored.length))
  }
  const tooLong = result.problems.length === 0 && memoryProblem(payload, bits)
  if (tooLong) result.problems.push(tooLong)
  else result.warnings.push(...countsWarnings(payload, bits))
  return result
}

function dtPathOf(reports: readonly CheckReport[]): string {
  const index = reports.findIndex(({ usesDt }) => usesDt)
  return index < 0 ? '' : `circuits.${index}.circuit`
}

/** Expectation values need no measurement. */
function warningsOf(
  { measurements, qubits, problems, warnings }: CheckReport,
  hasOutcomes: boolean,
): QasmWarning[] {
  if (measurements.amount > 0 || !hasOutcomes || qubits === 0 || problems.length > 0) return warnings
  const message = 'The program measures nothing, so that all its bits are 0'
  return [{ code: 'no_measurement', message, line: 1, column: 1 }, ...warnings]
}

function ignoredIn(index: number, warnings: readonly QasmWarning[]): string[] {
  return warnings
    .filter(({ code }) => code === 'ignored_directive')
    .map(({ line, message }) => `circuits.${index}.circuit, line ${line}: ${message}`)
}

function programProblem(index: number, { code, message, line, column }: QasmProblem | QasmWarning): Problem {
  return { path: `circuits.${index}.circuit`, code, message, params: { line, column } }
}

/** Names of inputs that an error message lists. */
const MAX_NAMES_SHOWN = 5

/** Values out of range that are named of one circuit. */
const MAX_VALUES_NAMED = 20

function setProblems(
  index: number,
  inputs: readonly TypedInput[],
  sets: readonly number[][] = [],
): Problem[] {
  const wanted = inputs.length
  const takes = `Circuit ${index} takes ${wanted} ${wanted === 1 ? 'parameter' : 'parameters'}`
  const params = { expected: wanted }
  if (sets.length === 0) {
    if (wanted === 0) return []
    const shown = inputs.slice(0, MAX_NAMES_SHOWN).map(({ name }) => name)
    const names = `${shown.join(', ')}${wanted > MAX_NAMES_SHOWN ? ', …' : ''}`
    const message = `${takes} (${names}); send their values in this order.`
    return [{ path: `circuits.${index}.parameter_values`, code: 'parameter_count', message, params }]
  }
  // Some clients send the values of a circuit that they have already bound.
  if (wanted === 0 && sets.length === 1) return []
  const counts = sets.flatMap((set, number) => {
    if (set.length === wanted) return []
    const message = `${takes}, set ${number} has ${set.length}.`
    const path = `circuits.${index}.parameter_values.${number}`
    return [{ path, code: 'parameter_count', message, params: { ...params, given: set.length } }]
  })
  return counts.length > 0 ? counts : valueProblems(index, inputs, sets)
}

/** The first values that the types of their inputs do not represent. */
function valueProblems(index: number, inputs: readonly TypedInput[], sets: readonly number[][]): Problem[] {
  const problems: Problem[] = []
  for (const [number, set] of sets.entries()) {
    for (const [place, input] of inputs.entries()) {
      const value = set[place] ?? Number.NaN
      const problem = inputProblem(input, value)
      if (problem === undefined) continue
      const path = `circuits.${index}.parameter_values.${number}.${place}`
      problems.push({ path, code: 'invalid_value', message: `${problem}.`, params: { given: value } })
      if (problems.length === MAX_VALUES_NAMED) return problems
    }
  }
  return problems
}
