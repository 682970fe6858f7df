import { JOB_LIMITS, type JobPayload } from '../../../protocol/index.ts'
import { type Circuit, lowerProgram, type Program, parseProgram } from '../../../qasm/index.ts'
import { JobError, jobErrorOf } from '../../errors.ts'

/** What a simulated device can take. */
export interface Bounds {
  /** Qubits a circuit may declare. */
  declaredQubits: number
  /** Qubits its outcomes may depend on: the size of the state. */
  stateQubits: number
  shots: number
  /** Largest bond between tensors of a matrix product state, 256 when absent. */
  bond?: number
}

/** One circuit with one parameter set. */
export interface Execution {
  /** Number in the job, which is the sub-stream of its random numbers. */
  stream: number
  circuitIndex: number
  parameterSet: number
  program: Program
  values: readonly number[]
  shots: number
}

function parseCircuits(payload: JobPayload): Program[] {
  return payload.circuits.map((entry, circuitIndex) => {
    try {
      return parseProgram(entry.circuit)
    } catch (error) {
      throw jobErrorOf(error, circuitIndex)
    }
  })
}

/**
 * The parameter sets a circuit is run with. One without parameters takes none, but a single set is ignored:
 * clients send the values along with a circuit they have bound already.
 */
function parameterSets(
  program: Program,
  sets: readonly number[][],
  circuitIndex: number,
): readonly number[][] {
  const wanted = program.inputs.length
  const refuse = (text: string) => new JobError(text, { errorCode: 'parameter_count', circuitIndex })
  const takes = `circuit ${circuitIndex} takes ${wanted} parameter${wanted === 1 ? '' : 's'}`
  if (sets.length === 0 && wanted > 0) {
    const names = program.inputs
      .slice(0, 5)
      .map((input) => input.name)
      .join(', ')
    throw refuse(`${takes} (${names}${wanted > 5 ? ', …' : ''}), parameter_values has none`)
  }
  if (wanted === 0 && sets.length <= 1) return [[]]
  const wrong = sets.findIndex((set) => set.length !== wanted)
  if (wrong >= 0) throw refuse(`${takes}, set ${wrong} has ${sets[wrong]?.length ?? 0}`)
  return sets
}

/**
 * What a job asks to run, in order.
 * @throws JobError for a program or a parameter set that is wrong.
 */
export function executionsOf(payload: JobPayload): Execution[] {
  const executions = parseCircuits(payload).flatMap((program, circuitIndex) => {
    const entry = payload.circuits[circuitIndex]
    const shots = entry?.shots ?? payload.shots
    const sets = parameterSets(program, entry?.parameter_values ?? [], circuitIndex)
    return sets.map((values, parameterSet) => ({ circuitIndex, parameterSet, program, values, shots }))
  })
  refuseMany(executions.length)
  return executions.map((execution, stream) => ({ ...execution, stream }))
}

function refuseMany(executions: number): void {
  if (executions <= JOB_LIMITS.executions) return
  throw new JobError(
    `the job has ${executions} circuits counting each parameter set; at most ${JOB_LIMITS.executions} are allowed`,
    { errorCode: 'too_many_circuits' },
  )
}

/**
 * The circuit of an execution: expanded late, because it can be much larger than its program.
 * @throws JobError for what is wrong with it, or more than the device can take.
 */
export function lowerExecution(execution: Execution, device: string, bounds: Bounds): Circuit {
  const { program, values, circuitIndex } = execution
  try {
    const circuit = lowerProgram(program, values)
    checkBounds(execution, circuit, device, bounds)
    return circuit
  } catch (error) {
    throw jobErrorOf(error, circuitIndex)
  }
}

function checkBounds(
  { circuitIndex, shots }: Execution,
  circuit: Circuit,
  device: string,
  bounds: Bounds,
): void {
  if (circuit.qubits > bounds.declaredQubits) {
    throw new JobError(
      `circuit ${circuitIndex} has ${circuit.qubits} qubits; ${device} has ${bounds.declaredQubits}`,
      { errorCode: 'too_many_qubits', circuitIndex },
    )
  }
  if (shots > bounds.shots) {
    throw new JobError(
      `circuit ${circuitIndex} asks for ${shots} shots; ${device} allows at most ${bounds.shots}`,
      { errorCode: 'too_many_shots', circuitIndex },
    )
  }
}

/**
 * Checks a job as far as it goes without running it.
 * @throws JobError for the first thing that is wrong.
 */
export function validateJob(device: string, payload: JobPayload, bounds: Bounds): void {
  refuseTraces(device, payload)
  for (const execution of executionsOf(payload)) lowerExecution(execution, device, bounds)
}

/**
 * Refuses jobs that ask for what no simulation has.
 * @throws JobError `unsupported_meas_level`.
 */
export function refuseTraces(device: string, payload: JobPayload): void {
  if (payload.meas_level !== 0) return
  throw new JobError(`raw traces (meas_level 0) are not available from ${device}`, {
    errorCode: 'unsupported_meas_level',
  })
}
