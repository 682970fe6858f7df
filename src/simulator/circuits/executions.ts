import { type Circuit, lowerProgram, type Program } from '../../qasm/index.ts'
import { circuitErrorOf, SimulationError } from '../errors.ts'
import type { PauliSum } from '../exact/observables.ts'
import type { ReducedCircuit } from '../reduction/reduce-circuit.ts'
import { parsedProgram } from './parsed-programs.ts'
import { boundPlan, type PlanRequest, plannedProgram } from './planned-programs.ts'

/** One program of a job, as it was submitted. */
export interface CircuitRequest {
  /** OpenQASM 2 or 3. */
  program: string
  /** One execution for each; empty for a program without parameters. */
  parameterSets: readonly number[][]
  shots: number
  /** Pauli sums of which the mean is asked for, in a job of exact values. */
  expectationValues?: readonly PauliSum[]
}

/** Limits of a job. */
export interface JobLimits {
  /** Circuits, counting each parameter set. */
  executions: number
  /** Qubits a circuit may declare. */
  declaredQubits: number
  /** Qubits its outcomes may depend on: the size of the state. */
  stateQubits: number
  /** Shots of one circuit. */
  shots: number
  /** Length of the results of the job, in characters of JSON. */
  resultLength: number
  /** As of the limits of a program. */
  repeatsPowers?: boolean
  dt?: number | undefined
  /** Maximum bond dimension of a matrix product state; 256 when absent. */
  maxBondDimension?: number
}

/** One circuit with one parameter set. */
export interface Execution {
  /** Index in the job, which is also the sub-stream of its random numbers. */
  stream: number
  circuitIndex: number
  parameterSet: number
  program: Program
  values: readonly number[]
  shots: number
  expectationValues: readonly PauliSum[]
}

function parseCircuits(circuits: readonly CircuitRequest[], dt?: number, checkpoint?: () => void): Program[] {
  return circuits.map(({ program }, circuitIndex) => {
    try {
      return parsedProgram(program, checkpoint, dt)
    } catch (error) {
      throw circuitErrorOf(error, circuitIndex)
    }
  })
}

/**
 * The parameter sets a circuit is run with. A single set for a program without parameters is ignored: clients
 * send the values along with a circuit they have already bound.
 */
function parameterSets(
  program: Program,
  sets: readonly number[][],
  circuitIndex: number,
): readonly number[][] {
  const expected = program.inputs.length
  const errorOf = (text: string) => new SimulationError(text, { code: 'parameter_count', circuitIndex })
  const takes = `circuit ${circuitIndex} takes ${expected} parameter${expected === 1 ? '' : 's'}`
  if (sets.length === 0 && expected > 0) {
    const names = program.inputs
      .slice(0, 5)
      .map((input) => input.name)
      .join(', ')
    throw errorOf(`${takes} (${names}${expected > 5 ? ', …' : ''}), parameter_values has none`)
  }
  if (expected === 0 && sets.length <= 1) return [[]]
  const wrong = sets.findIndex((set) => set.length !== expected)
  if (wrong >= 0) throw errorOf(`${takes}, set ${wrong} has ${sets[wrong]?.length ?? 0}`)
  return sets
}

/**
 * The executions of a job, in order. `checkpoint` is called regularly and may throw to end the work.
 * @throws SimulationError for an invalid program or parameter set, and for more than the limit allows.
 */
export function executionsOf(
  circuits: readonly CircuitRequest[],
  { executions: maxExecutions, dt }: Pick<JobLimits, 'executions' | 'dt'>,
  checkpoint?: () => void,
): Execution[] {
  const programs = parseCircuits(circuits, dt, checkpoint)
  const executions = circuits.flatMap((circuit, circuitIndex) => {
    const program = programs[circuitIndex] as Program
    const sets = parameterSets(program, circuit.parameterSets, circuitIndex)
    const { shots, expectationValues = [] } = circuit
    return sets.map((values, parameterSet) => ({
      circuitIndex,
      parameterSet,
      program,
      values,
      shots,
      expectationValues,
    }))
  })
  assertExecutionCount(executions.length, maxExecutions)
  return executions.map((execution, stream) => ({ ...execution, stream }))
}

function assertExecutionCount(count: number, max: number): void {
  if (count <= max) return
  throw new SimulationError(
    `the job has ${count} circuits counting each parameter set; at most ${max} are allowed`,
    { code: 'too_many_circuits' },
  )
}

/**
 * Lowers the program of an execution to a flat circuit. This happens right before the run, because a circuit
 * can be much larger than its program. `checkpoint` is called regularly and may throw to end the work.
 * @throws SimulationError for an invalid circuit, and for one beyond the limits.
 */
export function lowerExecution(
  execution: Execution,
  backend: string,
  limits: JobLimits,
  checkpoint?: () => void,
): Circuit {
  const { program, values, circuitIndex } = execution
  try {
    const circuit = lowerProgram(program, values, { checkpoint, repeatsPowers: limits.repeatsPowers })
    assertWithinLimits(execution, circuit, backend, limits)
    return circuit
  } catch (error) {
    throw circuitErrorOf(error, circuitIndex)
  }
}

/**
 * As `lowerExecution`; the circuit comes reduced to what `request` depends on if a plan of its program is
 * kept.
 * @throws SimulationError as `lowerExecution` does.
 */
export function planExecution(
  execution: Execution,
  backend: string,
  limits: JobLimits,
  request: PlanRequest,
): Circuit & { reduced?: ReducedCircuit } {
  const { program, values, circuitIndex } = execution
  const plan = plannedProgram(program, request)
  if (!plan) return lowerExecution(execution, backend, limits, () => request.timeBudget.check())
  try {
    assertWithinLimits(execution, plan.template.circuit, backend, limits)
    return { ...plan.template.circuit, reduced: boundPlan(plan, values, request) }
  } catch (error) {
    throw circuitErrorOf(error, circuitIndex)
  }
}

function assertWithinLimits(
  { circuitIndex, shots }: Execution,
  circuit: Circuit,
  backend: string,
  limits: JobLimits,
): void {
  if (circuit.qubits > limits.declaredQubits) {
    throw new SimulationError(
      `circuit ${circuitIndex} has ${circuit.qubits} qubits; ${backend} has ${limits.declaredQubits}`,
      { code: 'too_many_qubits', circuitIndex },
    )
  }
  if (shots > limits.shots) {
    throw new SimulationError(
      `circuit ${circuitIndex} requests ${shots} shots; ${backend} allows at most ${limits.shots}`,
      { code: 'too_many_shots', circuitIndex },
    )
  }
}

/**
 * Checks the circuits of a job as far as possible without running them. `backend` names the device in
 * messages.
 * @throws SimulationError for the first problem found.
 */
export function validateCircuits(
  backend: string,
  circuits: readonly CircuitRequest[],
  limits: JobLimits,
): void {
  for (const execution of executionsOf(circuits, limits)) {
    lowerExecution(execution, backend, limits)
  }
}
