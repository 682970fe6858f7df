import { type JobPayload, memoryLength } from '../../../protocol/index.ts'
import {
  type CheckReport,
  EnoughExecuted,
  type Extent,
  extentsOf,
  type Program,
  type ProgramExtents,
  parseProgram,
  QasmError,
} from '../../../qasm/index.ts'
import type { JobExtents, Problem } from '../../programs/messages.ts'

/** Statements of which the check alone does not say what an execution takes. */
const UNKNOWN_BEFORE_A_RUN = /\b(for|while|if|switch|def|delay|duration|stretch|int|uint)\b/
/** Characters of a program that may have as many gates as a device plays, when each is played as written. */
const MANY_GATES = 100_000

/** What the executions of a job take at least. */
interface Found {
  extents: JobExtents
  /** What every execution runs into. */
  problems: Problem[]
  /** Whether all executions were judged within the budget. */
  isWhole: boolean
}

/** The budget is spent. */
class Spent extends EnoughExecuted {}

/** Characters of a program that are parsed in a step. */
const PARSED_PER_STEP = 16_000

/** How the programs of a job are run. */
export interface RunOptions {
  /** Budget: executions, and a step for about a thousand operations of each. */
  steps: number
  /** Length of one `dt`, s; 1 ns when absent. */
  dt?: number | undefined
}

/** Runs programs within a budget of steps; what is repeated is parsed and run once. */
class ProgramRuns {
  readonly #known = new Map<string, ProgramExtents>()
  readonly #dt: number | undefined
  #left: number
  #last: Program | undefined

  constructor({ steps, dt }: RunOptions) {
    this.#dt = dt
    this.#left = steps
  }

  /** @throws Spent */
  parse(text: string): Program {
    if (this.#last?.text === text) return this.#last
    this.#spend(1 + text.length / PARSED_PER_STEP)
    this.#last = parseProgram(text, { dt: this.#dt })
    return this.#last
  }

  get isSpent(): boolean {
    return this.#left < 0
  }

  /** Up to the end of the budget. @throws Spent before it begins; QasmError as `extentsOf`. */
  run(program: Program, values: readonly number[]): ProgramExtents {
    const known = values.length === 0 ? this.#known.get(program.text) : undefined
    if (known) return known
    this.#spend(1)
    const extents = extentsOf(program, values, { checkpoint: () => this.#spend(1) })
    if (values.length === 0) this.#known.set(program.text, extents)
    return extents
  }

  #spend(steps: number): void {
    this.#left -= steps
    if (this.isSpent) throw new Spent()
  }
}

/**
 * What the executions of a job take at least, by running the classical part of its programs once for each
 * parameter set. What is beyond the budget is not judged here; their device does.
 */
export function jobExtents(payload: JobPayload, reports: readonly CheckReport[], options: RunOptions): Found {
  const found: Found = { extents: { most: [], shots: 0, seconds: 0 }, problems: [], isWhole: true }
  const runs = new ProgramRuns(options)
  let bytes = 0
  for (const [index, { circuit, parameter_values: sets = [], ...own }] of payload.circuits.entries()) {
    const [report, path] = [reports[index], `circuits.${index}.circuit`]
    if (!report) continue
    const shots = payload.exact ? 0 : (own.shots ?? payload.shots)
    found.extents.shots += shots * Math.max(1, sets.length)
    bytes += Math.max(1, sets.length) * memoryLength(payload, report.clbits, shots)
    addMost(found, 'branches', path, report.branches)
    if (isRunNeeded(circuit, report, payload))
      runEach(found, { circuit, path, shots, sets, level: payload.optimization_level }, runs)
    else addMost(found, 'acquisitions', path, report.measurements)
  }
  addMost(found, 'result_bytes', 'memory', { amount: bytes, line: 0 })
  return found
}

function isRunNeeded(
  circuit: string,
  { warnings }: CheckReport,
  { optimization_level: level }: JobPayload,
): boolean {
  if (UNKNOWN_BEFORE_A_RUN.test(circuit) || (level === 0 && circuit.length > MANY_GATES)) return true
  return warnings.some(({ code }) => code === 'no_measurement')
}

interface RunProgram {
  circuit: string
  path: string
  shots: number
  sets: readonly (readonly number[])[]
  level: number | undefined
}

/** Runs a program with each of its parameter sets, up to the first problem or the end of the budget. */
function runEach(found: Found, { circuit, path, shots, sets, level }: RunProgram, runs: ProgramRuns): void {
  let set = 0
  try {
    const program = runs.parse(circuit)
    // Some clients send the values of a circuit that they have already bound.
    const isBound = program.inputs.length === 0
    const shotsOfRun = shots * (isBound ? Math.max(1, sets.length) : 1)
    for (const values of isBound ? [[]] : sets) {
      const { seconds, acquisitions, gates } = runs.run(program, values)
      addMost(found, 'schedule_s', path, seconds)
      addMost(found, 'acquisitions', path, acquisitions)
      const pulses = gates.amount + acquisitions.amount
      if (level === 0) addMost(found, 'pulses', path, { ...gates, amount: pulses })
      found.extents.seconds += shotsOfRun * seconds.amount
      set += 1
      if (runs.isSpent) throw new Spent()
    }
  } catch (error) {
    if (error instanceof Spent) found.isWhole = false
    else found.problems.push(problemOf(error, path, sets.length > 1 ? ` (parameter set ${set})` : ''))
  }
}

/** The problem that an error of a program is; throws another error again. */
function problemOf(error: unknown, path: string, where: string): Problem {
  if (!(error instanceof QasmError)) throw error
  const { code, message, line, column } = error
  return { path, code, message: `${message}${where}`, params: { line, column } }
}

function addMost(
  { extents: { most } }: Found,
  kind: JobExtents['most'][number]['kind'],
  path: string,
  extent: Extent,
): void {
  const known = most.find((each) => each.kind === kind)
  if (extent.amount <= (known?.needed ?? 0)) return
  const { amount: needed, line } = extent
  if (known) Object.assign(known, { needed, path, line })
  else most.push({ kind, needed, path, line })
}
