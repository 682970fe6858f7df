import { type Clock, toTimestamp } from '../../../base/index.ts'
import { type CircuitResult, JOB_LIMITS, type JobPayload, type JobResults } from '../../../protocol/index.ts'
import { type Circuit, lowerProgram, type Program, parseProgram, runDynamic } from '../../../qasm/index.ts'
import type { JobIo } from '../../define-device.ts'
import { JobError, jobErrorOf } from '../../errors.ts'
import { createRng } from '../../numeric/random.ts'
import { circuitResultOf, jobResultsOf, ResultBudget } from '../../results.ts'
import type { Engine } from './methods/statevector/engine.ts'
import type { NoiseModel } from './noise/model.ts'
import { Pacer } from './pacer.ts'
import type { Readout } from './readout.ts'
import { type CircuitOutcome, runCircuit } from './run-circuit.ts'

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

interface Simulation {
  /** Name of the device, for messages and results. */
  device: string
  payload: JobPayload
  bounds: Bounds
  /** Name of the simulation method, or `automatic`. */
  method: string
  /** An integer from 0 to 2^53 - 1; the seed of the payload wins. */
  seed: number
  /** What the device adds to the circuits; absent for an exact simulation. */
  noise?: NoiseModel | undefined
  clock: Clock
  engine: Engine
  io: JobIo
}

/** Bonds up to which an operation takes seconds at most. */
export const DEFAULT_BOND = 256

/** One circuit with one parameter set, ready to run. */
interface Execution {
  circuitIndex: number
  parameterSet: number
  program: Program
  values: readonly number[]
  circuit: Circuit
  shots: number
}

/** Share of the free memory a simulation may take. */
const MEMORY_SHARE = 0.5

/** Memory a simulation may take now, in bytes, also inside a container. */
function freeBytes(): number {
  const bytes = Math.min(process.availableMemory(), process.constrainedMemory() || Number.POSITIVE_INFINITY)
  return MEMORY_SHARE * bytes
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

function* executionsOf(payload: JobPayload): Generator<Execution> {
  const runs = parseCircuits(payload).map((program, circuitIndex) => {
    const entry = payload.circuits[circuitIndex]
    const sets = parameterSets(program, entry?.parameter_values ?? [], circuitIndex)
    return { circuitIndex, program, sets, shots: entry?.shots ?? payload.shots }
  })
  refuseMany(runs.reduce((sum, { sets }) => sum + sets.length, 0))
  for (const { circuitIndex, program, sets, shots } of runs) {
    for (const [parameterSet, values] of sets.entries()) {
      const circuit = lower(program, values, circuitIndex)
      yield { circuitIndex, parameterSet, program, values, circuit, shots }
    }
  }
}

function refuseMany(executions: number): void {
  if (executions <= JOB_LIMITS.executions) return
  throw new JobError(
    `the job has ${executions} circuits counting each parameter set; at most ${JOB_LIMITS.executions} are allowed`,
    { errorCode: 'too_many_circuits' },
  )
}

function lower(program: Program, values: readonly number[], circuitIndex: number): Circuit {
  try {
    return lowerProgram(program, values)
  } catch (error) {
    throw jobErrorOf(error, circuitIndex)
  }
}

function checkBounds(execution: Execution, device: string, bounds: Bounds): void {
  const { circuit, circuitIndex, shots } = execution
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
  for (const execution of executionsOf(payload)) checkBounds(execution, device, bounds)
}

function refuseTraces(device: string, payload: JobPayload): void {
  if (payload.meas_level !== 0) return
  throw new JobError(`raw traces (meas_level 0) are not available from ${device}`, {
    errorCode: 'unsupported_meas_level',
  })
}

function memoryOf(payload: JobPayload): Readout['memory'] {
  if (payload.meas_level === 1) return payload.meas_return === 'avg' ? 'mean_point' : 'points'
  return payload.memory ? 'bits' : 'none'
}

/**
 * Runs every circuit of a job with every parameter set, in order.
 * @throws JobError when one of them cannot be run; the job has no results then.
 */
export async function simulateJob(simulation: Simulation): Promise<JobResults> {
  const { device, payload, clock, io } = simulation
  refuseTraces(device, payload)
  const seed = payload.seed ?? simulation.seed
  const started = clock.now()
  const startedAt = clock.monotonic()
  const pacer = new Pacer(clock, io)
  const budget = new ResultBudget()
  const rng = createRng(seed)
  const results: CircuitResult[] = []
  for (const execution of executionsOf(payload)) {
    checkBounds(execution, device, simulation.bounds)
    io.phase(`circuit ${results.length}`)
    const from = clock.monotonic()
    const outcome = await runExecution(execution, {
      circuitIndex: execution.circuitIndex,
      shots: execution.shots,
      memory: memoryOf(payload),
      noise: simulation.noise,
      rng,
      stream: results.length,
      pacer,
      budget,
      clock,
      engine: simulation.engine,
      method: simulation.method,
      room: {
        stateQubits: simulation.bounds.stateQubits,
        bytes: freeBytes(),
        bond: simulation.bounds.bond ?? DEFAULT_BOND,
      },
    })
    const seconds = (clock.monotonic() - from) / 1_000
    results.push(resultOf(execution, outcome, payload, seed, seconds))
    pacer.spend(EXECUTION_WORK)
    await pacer.rest()
  }
  return jobResultsOf(device, results, {
    device,
    started: toTimestamp(started),
    finished: toTimestamp(clock.now()),
    seconds: (clock.monotonic() - startedAt) / 1_000,
    seed,
    backend_kind: 'simulated',
  })
}

/** Work of an execution besides its steps, in amplitude updates: so that many tiny ones give way too. */
const EXECUTION_WORK = 2 ** 20

async function runExecution(
  { program, values, circuit, circuitIndex }: Execution,
  run: Parameters<typeof runCircuit>[1],
): Promise<CircuitOutcome> {
  try {
    return await runCircuit({ ...circuit, walk: (sink) => runDynamic(program, values, sink) }, run)
  } catch (error) {
    throw jobErrorOf(error, circuitIndex, true)
  }
}

function warningsOf({ circuit }: Execution, outcome: CircuitOutcome, payload: JobPayload): string[] {
  const isUnmeasured = outcome.unmeasured.length === circuit.clbits
  const hasDiscriminator = (payload.acq_rotation ?? payload.acq_threshold ?? null) !== null
  return [
    ...circuit.warnings,
    ...(isUnmeasured ? ['The circuit measures nothing: counts are empty'] : []),
    ...(hasDiscriminator ? ['acq_rotation and acq_threshold have no effect on a simulator'] : []),
  ]
}

function resultOf(
  execution: Execution,
  outcome: CircuitOutcome,
  payload: JobPayload,
  seed: number,
  seconds: number,
): CircuitResult {
  const warnings = warningsOf(execution, outcome, payload)
  return circuitResultOf({
    circuitIndex: execution.circuitIndex,
    circuit: execution.circuit,
    shots: execution.shots,
    ...(outcome.counts !== undefined && { counts: outcome.counts }),
    ...(outcome.memory !== undefined && { memory: outcome.memory }),
    metadata: {
      ...outcome.provenance,
      seed,
      seconds,
      parameter_set: execution.parameterSet,
      meas_level: payload.meas_level,
      meas_return: payload.meas_return,
      ...(payload.meas_level === 1 && { unmeasured_slots: outcome.unmeasured }),
      ...(warnings.length > 0 && { warnings }),
    },
  })
}
