import type { Clock } from '../../base/index.ts'
import {
  type Circuit,
  type LeavableSink,
  type OpenSink,
  type Position,
  runDynamic,
  runOpen,
} from '../../qasm/index.ts'
import { type Execution, planExecution } from '../circuits/executions.ts'
import {
  type CircuitOutcome,
  type CircuitRun,
  type PreparedCircuit,
  prepareCircuit,
  runCircuit,
} from '../circuits/run-circuit.ts'
import { circuitErrorOf } from '../errors.ts'
import { observablesOf } from '../exact/observables.ts'
import type { Engine } from '../kernel/engine.ts'
import { FORMATS } from '../kernel/layout.ts'
import type { NoiseModel } from '../noise/noise-model.ts'
import { createRng } from '../numeric/random.ts'
import type { ResultBudget } from '../tally/result-budget.ts'
import type { TimeBudget } from '../timing/time-budget.ts'
import type { BatchJob, ExecutionResult } from './batch-job.ts'

export interface CircuitRunnerDependencies {
  /** Read from the noise source of the job, by this thread. */
  noise: NoiseModel | undefined
  clock: Clock
  engine: Engine
  timeBudget: TimeBudget
  /** Shared by all threads that run circuits of the job. */
  resultBudget: ResultBudget
  /** Threads that run circuits of the job at the same time, and so share the memory for copies of states. */
  threads: number
}

/** Bond dimension up to which an operation takes seconds at most. */
export const DEFAULT_BOND = 256

const NOTHING_MEASURED = 'The circuit measures nothing: all result bits are 0'

/** Discarded weight w of a chain below which nothing is said: it changes probabilities by up to sqrt(w). */
const MAX_SILENT_TRUNCATION = 1e-12

/** Share of the free memory a simulation may take. */
const MEMORY_SHARE = 0.5

/** Memory for copies of states at which shots branch, in bytes. */
const STATE_COPY_BYTES = 2 ** 30

/** Memory a simulation may take now, in bytes, also inside a container. */
function freeBytes(): number {
  const bytes = Math.min(process.availableMemory(), process.constrainedMemory() || Number.POSITIVE_INFINITY)
  return MEMORY_SHARE * bytes
}

/** Work of an execution besides its steps, in amplitude updates, so that many tiny executions yield too. */
const EXECUTION_WORK = 2 ** 20

/** Characters of a result besides counts, memory, registers and warnings: measured 400 to 470. */
const RESULT_LENGTH = 512

/** An execution with its steps and the method that runs it. */
interface PreparedExecution {
  execution: Execution
  circuit: Circuit
  run: CircuitRun
  prepared: PreparedCircuit
  /** Start of planning, in ms of the monotonic clock. */
  from: number
  /** Qubits of the state that the method stores amplitude by amplitude. */
  stateQubits: number
}

/** Runs executions of one job, one after the other. */
export class CircuitRunner {
  readonly #job: BatchJob
  readonly #dependencies: CircuitRunnerDependencies
  readonly #timeBudget: TimeBudget
  readonly #resultBudget: ResultBudget
  readonly #rng

  constructor(job: BatchJob, dependencies: CircuitRunnerDependencies) {
    this.#job = job
    this.#dependencies = dependencies
    this.#timeBudget = dependencies.timeBudget
    this.#resultBudget = dependencies.resultBudget
    this.#rng = createRng(job.seed)
  }

  /**
   * Prepares the circuits of a job that may be too large for a method, so that one that is refused for its
   * size is so before others run. A density matrix holds the fewest qubits. Parameters change no sizes: one
   * set of each circuit is prepared.
   * @throws SimulationError as `prepare` does.
   */
  assertHold(executions: readonly Execution[]): void {
    if (executions.length === 1) return
    const { limits, precision = 'double' } = this.#job
    const most = Math.floor(Math.min(limits.stateQubits, FORMATS[precision].maxQubits) / 2)
    for (const execution of executions) {
      const { qubits, hardware } = execution.program.layout
      if (execution.parameterSet === 0 && qubits + hardware > most) this.prepare(execution)
    }
  }

  /** @throws SimulationError when the circuit cannot be lowered, or no method can run it. */
  prepare(execution: Execution): PreparedExecution {
    const { clock } = this.#dependencies
    const { program, values } = execution
    const run = this.#runOf(execution)
    const timeBudget = this.#timeBudget
    timeBudget.enter('lower', `circuit ${execution.circuitIndex}`)
    const { backend, limits } = this.#job
    const { layout } = program
    const exact = this.#job.exact && {
      observables: observablesOf(
        execution.expectationValues,
        layout.qubits + layout.hardware,
        execution.circuitIndex,
      ),
    }
    const circuit = planExecution(execution, backend, limits, {
      noise: run.noise,
      observables: exact ? exact.observables : [],
      timeBudget,
    })
    timeBudget.enter('plan')
    const from = clock.monotonic()
    const checkpoint = () => timeBudget.check('interpret')
    const walk = (sink: LeavableSink, from?: Position) =>
      runDynamic(program, values, sink, { checkpoint }, from)
    const walkOpen = (sink: OpenSink) => runOpen(program, values, sink, { checkpoint })
    const prepared = prepareCircuit({ ...circuit, walk, walkOpen }, run, exact || undefined)
    return {
      execution,
      circuit,
      run,
      prepared,
      from,
      stateQubits: prepared.method.stateQubits(prepared.workload),
    }
  }

  #runOf(execution: Execution): CircuitRun {
    const { engine, noise, threads } = this.#dependencies
    const { limits, method, memory, precision = 'double' } = this.#job
    return {
      circuitIndex: execution.circuitIndex,
      shots: execution.shots,
      memory,
      noise,
      rng: this.#rng,
      stream: execution.stream,
      timeBudget: this.#timeBudget,
      resultBudget: this.#resultBudget,
      earlierSeconds: this.#timeBudget.seconds,
      engine,
      method,
      precision,
      limits: {
        stateQubits: limits.stateQubits,
        // Measured only when it matters: the call takes as long as a small circuit.
        get bytes() {
          return freeBytes()
        },
        stateCopyBytes: STATE_COPY_BYTES / threads,
        threads: engine.threads,
        maxBondDimension: limits.maxBondDimension ?? DEFAULT_BOND,
        work: this.#timeBudget,
      },
    }
  }

  /** @throws SimulationError when the circuit cannot be run. */
  async run({ execution, circuit, run, prepared, from }: PreparedExecution): Promise<ExecutionResult> {
    const { qregs, cregs, warnings } = circuit
    this.#resultBudget.spend(RESULT_LENGTH + Buffer.byteLength(JSON.stringify([qregs, cregs, warnings])))
    const outcome = await runExecution(execution, prepared, run)
    const seconds = (this.#dependencies.clock.monotonic() - from) / 1_000
    const result = resultOf(execution, circuit, outcome, seconds)
    this.#timeBudget.spend(EXECUTION_WORK)
    await this.#timeBudget.yieldIfDue()
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
    throw circuitErrorOf(error, circuitIndex, true)
  }
}

function resultOf(
  { circuitIndex, parameterSet, shots }: Execution,
  { qubits, clbits, qregs, cregs, warnings }: Circuit,
  outcome: CircuitOutcome,
  seconds: number,
): ExecutionResult {
  const note = clbits === 0 ? 'The program has no result bits: counts are empty' : NOTHING_MEASURED
  const isUnmeasured = outcome.unmeasured.length === clbits && !outcome.exact?.expectationValues
  return {
    circuitIndex,
    parameterSet,
    shots,
    circuit: { qubits, clbits, qregs, cregs },
    ...outcome,
    warnings: [...warnings, ...(isUnmeasured ? [note] : []), ...truncationNotes(outcome.provenance)],
    seconds,
  }
}

function truncationNotes({ truncation, bond }: Record<string, unknown>): string[] {
  if (typeof truncation !== 'number' || truncation <= MAX_SILENT_TRUNCATION) return []
  const lost = `a matrix product state with bonds of ${bond} discards ${truncation.toPrecision(2)} of the state`
  return [`The result is an approximation: ${lost}; a driver with a larger -o max_bond keeps more`]
}
