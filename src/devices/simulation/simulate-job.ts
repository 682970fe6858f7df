import { type Clock, toTimestamp } from '../../base/index.ts'
import {
  type CircuitResult,
  JOB_LIMITS,
  type JobPayload,
  type JobResults,
  RESULTS_TOO_LARGE,
} from '../../protocol/index.ts'
import {
  type CircuitRequest,
  type ExecutionResult,
  type JobLimits,
  type Noise,
  type ShotMemory,
  SimulationError,
  type Simulator,
  validateCircuits,
  WorkerEndedError,
} from '../../simulator/index.ts'
import type { JobIo } from '../define-device.ts'
import { JobError } from '../errors.ts'
import { circuitResultOf, jobResultsOf } from '../results.ts'

/** What a simulated device allows; limits of all jobs are added. */
type DeviceLimits = Omit<JobLimits, 'executions' | 'resultLength'>

interface Simulation {
  /** Name of the device, for messages and results. */
  device: string
  payload: JobPayload
  limits: DeviceLimits
  /** Name of the simulation method, or `automatic`. */
  method: string
  /** An integer from 0 to 2^53 - 1; the seed of the payload takes precedence. */
  seed: number
  /** Noise that the device adds to the circuits; absent for an exact simulation. */
  noise?: Noise | undefined
  clock: Clock
  simulator: Simulator
  io: JobIo
}

/**
 * Runs every circuit of a job with every parameter set; the results come in order.
 * @throws JobError when one circuit cannot be run; the job then has no results.
 */
export async function simulateJob(simulation: Simulation): Promise<JobResults> {
  const { device, payload, limits, method, noise, clock, simulator, io } = simulation
  assertNoTraces(device, payload)
  const seed = payload.seed ?? simulation.seed
  const started = clock.now()
  const startedAt = clock.monotonic()
  const request = {
    backend: device,
    circuits: circuitsOf(payload),
    limits: jobLimits(limits, io.resultBytes),
    method,
    seed,
    memory: memoryOf(payload),
    exact: payload.exact ?? false,
    precision: payload.precision ?? 'double',
    noise,
  }
  const control = {
    ...io,
    ended: (index: number, result: ExecutionResult) =>
      io.result?.(index, toCircuitResult(result, payload, seed)),
  }
  const results = await simulator.run(request, control).catch((error: unknown) => {
    throw jobErrorOf(error)
  })
  const circuits = results.map((result) => toCircuitResult(result, payload, seed))
  return jobResultsOf(device, circuits, {
    device,
    started: toTimestamp(started),
    finished: toTimestamp(clock.now()),
    seconds: (clock.monotonic() - startedAt) / 1_000,
    seed,
    backend_kind: 'simulated',
  })
}

/**
 * Checks a job as far as possible without running it.
 * @throws JobError for the first problem found.
 */
export function validateJob(device: string, payload: JobPayload, limits: DeviceLimits): void {
  assertNoTraces(device, payload)
  try {
    validateCircuits(device, circuitsOf(payload), jobLimits(limits))
  } catch (error) {
    throw jobErrorOf(error)
  }
}

function assertNoTraces(device: string, payload: JobPayload): void {
  if (payload.meas_level !== 0) return
  throw new JobError(`raw traces (meas_level 0) are not available from ${device}`, {
    errorCode: 'unsupported_meas_level',
  })
}

/** The circuits of a job, each with its own number of shots. */
export function circuitsOf(payload: JobPayload): CircuitRequest[] {
  return payload.circuits.map(({ circuit, parameter_values, expectation_values, shots }) => ({
    program: circuit,
    parameterSets: parameter_values ?? [],
    shots: shots ?? payload.shots,
    ...(expectation_values && { expectationValues: expectation_values }),
  }))
}

function jobLimits(limits: DeviceLimits, resultLength: number = JOB_LIMITS.resultBytes): JobLimits {
  return { ...limits, executions: JOB_LIMITS.executions, resultLength }
}

/** What the results of a job keep of each shot. */
export function memoryOf(payload: JobPayload): ShotMemory {
  if (payload.meas_level === 1) return payload.meas_return === 'avg' ? 'mean_point' : 'points'
  if (!payload.memory) return 'none'
  return payload.memory_format === 'packed' ? 'packed_bits' : 'bits'
}

/** Converts an error of the simulator to the error of a job; returns other errors unchanged. */
export function jobErrorOf(error: unknown): unknown {
  if (error instanceof WorkerEndedError) {
    return new JobError(error.message, { class: 'device', executed: true, cause: error })
  }
  if (!(error instanceof SimulationError)) return error
  const { code, circuitIndex, executed } = error
  return new JobError(code === RESULTS_TOO_LARGE.error_code ? RESULTS_TOO_LARGE.message : error.message, {
    errorCode: code,
    ...(circuitIndex !== undefined && { circuitIndex }),
    executed,
    cause: error.cause,
  })
}

function toCircuitResult(result: ExecutionResult, payload: JobPayload, seed: number): CircuitResult {
  const { circuitIndex, circuit, shots, counts, memory, unmeasured, exact } = result
  const hasDiscriminator = (payload.acq_rotation ?? payload.acq_threshold ?? null) !== null
  const warnings = hasDiscriminator
    ? [...result.warnings, 'acq_rotation and acq_threshold have no effect on a simulator']
    : result.warnings
  return circuitResultOf({
    circuitIndex,
    circuit,
    shots: exact ? 0 : shots,
    ...(exact ? { exact } : counts !== undefined ? { counts } : { countsOmitted: payload.meas_level === 2 }),
    ...(memory !== undefined && { memory }),
    metadata: {
      ...result.provenance,
      seed,
      seconds: result.seconds,
      parameter_set: result.parameterSet,
      meas_level: payload.meas_level,
      meas_return: payload.meas_return,
      ...(payload.meas_level === 1 && { unmeasured_slots: unmeasured }),
      ...(warnings.length > 0 && { warnings }),
    },
  })
}
