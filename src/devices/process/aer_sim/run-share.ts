import type { Clock } from '../../../base/index.ts'
import type { CircuitResult, JobPayload } from '../../../protocol/index.ts'
import { type Circuit, runDynamic } from '../../../qasm/index.ts'
import type { JobIo } from '../../define-device.ts'
import { jobErrorOf } from '../../errors.ts'
import { createRng } from '../../numeric/random.ts'
import { circuitResultOf, ResultBudget } from '../../results.ts'
import { type Bounds, type Execution, lowerExecution } from './executions.ts'
import type { Engine } from './methods/statevector/engine.ts'
import type { NoiseModel } from './noise/model.ts'
import type { NoiseSource } from './noise/read-noise.ts'
import { Pacer } from './pacer.ts'
import { Phases } from './phases.ts'
import type { Readout } from './readout.ts'
import {
  type CircuitOutcome,
  type CircuitRun,
  type PreparedCircuit,
  prepareCircuit,
  runCircuit,
} from './run-circuit.ts'

/** A job as every thread that runs some of it knows it. */
export interface ShareOfJob {
  /** Name of the device, for messages and results. */
  device: string
  payload: JobPayload
  bounds: Bounds
  /** Name of the simulation method, or `automatic`. */
  method: string
  /** An integer from 0 to 2^53 - 1. */
  seed: number
  /** What the device adds to the circuits is made from it; absent for an exact simulation. */
  noise: NoiseSource | undefined
}

export interface ShareParts {
  /** Made from the noise of the job, by this thread. */
  noise: NoiseModel | undefined
  clock: Clock
  engine: Engine
  io: JobIo
  /** Threads that run circuits of the job at the same time, and so share the memory for copies of states. */
  threads: number
}

/** Bonds up to which an operation takes seconds at most. */
export const DEFAULT_BOND = 256

/** Share of the free memory a simulation may take. */
const MEMORY_SHARE = 0.5

/** Memory for copies of states from which shots part, in bytes. */
const KEPT_BYTES = 2 ** 30

/** Memory a simulation may take now, in bytes, also inside a container. */
function freeBytes(): number {
  const bytes = Math.min(process.availableMemory(), process.constrainedMemory() || Number.POSITIVE_INFINITY)
  return MEMORY_SHARE * bytes
}

function memoryOf(payload: JobPayload): Readout['memory'] {
  if (payload.meas_level === 1) return payload.meas_return === 'avg' ? 'mean_point' : 'points'
  return payload.memory ? 'bits' : 'none'
}

/** Work of an execution besides its steps, in amplitude updates: so that many tiny ones give way too. */
const EXECUTION_WORK = 2 ** 20

/** An execution with its steps and the method that runs it. */
interface PreparedExecution {
  execution: Execution
  circuit: Circuit
  run: CircuitRun
  prepared: PreparedCircuit
  /** When its planning began. */
  from: number
  /** Qubits of the state that the method writes out. */
  stateQubits: number
}

/** Runs executions of one job, one after the other. */
export class ShareRunner {
  readonly #job: ShareOfJob
  readonly #parts: ShareParts
  readonly #pacer: Pacer
  readonly #budget = new ResultBudget()
  readonly #rng

  constructor(job: ShareOfJob, parts: ShareParts) {
    this.#job = job
    this.#parts = parts
    this.#pacer = new Pacer(parts.clock, parts.io)
    this.#rng = createRng(job.seed)
  }

  /** @throws JobError when the circuit cannot be expanded, or not be run by this device. */
  prepare(execution: Execution): PreparedExecution {
    const { clock } = this.#parts
    const { program, values } = execution
    const phases = new Phases(clock)
    const circuit = lowerExecution(execution, this.#job.device, this.#job.bounds)
    phases.end('lower')
    const from = clock.monotonic()
    const run = this.#runOf(execution, phases)
    const prepared = prepareCircuit({ ...circuit, walk: (sink) => runDynamic(program, values, sink) }, run)
    return {
      execution,
      circuit,
      run,
      prepared,
      from,
      stateQubits: prepared.method.stateQubits(prepared.task),
    }
  }

  #runOf(execution: Execution, phases: Phases): CircuitRun {
    const { engine, noise, threads } = this.#parts
    const { bounds, method, payload } = this.#job
    return {
      circuitIndex: execution.circuitIndex,
      shots: execution.shots,
      memory: memoryOf(payload),
      noise,
      rng: this.#rng,
      stream: execution.stream,
      pacer: this.#pacer,
      budget: this.#budget,
      phases,
      engine,
      method,
      room: {
        stateQubits: bounds.stateQubits,
        // Asked for only when it matters: the answer takes as long as a small circuit.
        get bytes() {
          return freeBytes()
        },
        keptBytes: KEPT_BYTES / threads,
        threads: engine.threads,
        bond: bounds.bond ?? DEFAULT_BOND,
      },
    }
  }

  /** @throws JobError when the circuit cannot be run. */
  async run({ execution, circuit, run, prepared, from }: PreparedExecution): Promise<CircuitResult> {
    const outcome = await runExecution(execution, prepared, run)
    const seconds = (this.#parts.clock.monotonic() - from) / 1_000
    const result = resultOf(execution, circuit, outcome, this.#job, seconds)
    this.#pacer.spend(EXECUTION_WORK)
    await this.#pacer.rest()
    return result
  }
}

async function runExecution(
  { circuitIndex }: Execution,
  prepared: PreparedCircuit,
  run: CircuitRun,
): Promise<CircuitOutcome> {
  try {
    return await runCircuit(prepared, run)
  } catch (error) {
    throw jobErrorOf(error, circuitIndex, true)
  }
}

function warningsOf(circuit: Circuit, outcome: CircuitOutcome, payload: JobPayload): string[] {
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
  circuit: Circuit,
  outcome: CircuitOutcome,
  { payload, seed }: ShareOfJob,
  seconds: number,
): CircuitResult {
  const warnings = warningsOf(circuit, outcome, payload)
  return circuitResultOf({
    circuitIndex: execution.circuitIndex,
    circuit,
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
