import type { Clock } from '../base/index.ts'
import { type BatchJob, type ExecutionResult, type RunControl, resultBudgetOf } from './batch/batch-job.ts'
import { CircuitRunner } from './batch/circuit-runner.ts'
import { type CircuitWorker, CircuitWorkers } from './batch/circuit-workers.ts'
import { executionsOf } from './circuits/executions.ts'
import { createEngine, type Engine } from './kernel/engine.ts'
import type { Noise } from './noise/noise-model.ts'
import { TimeBudget } from './timing/time-budget.ts'

/** Number of circuits from which on a job is shared among threads. */
const MIN_BATCH_CIRCUITS = 4

interface SimulatorOptions {
  clock: Clock
  /** Threads for large states and for jobs of many circuits, the calling one included. */
  threads: number
  /** Entry point of threads that run whole circuits; without it circuits run one after the other. */
  circuitWorker?: CircuitWorker
}

/** One job for the simulator. */
export interface SimulationRequest extends Omit<BatchJob, 'noise'> {
  /** Noise added to the circuits; absent for an exact simulation. */
  noise?: Noise | undefined
}

/** Compiles the kernel and creates a simulator; threads are started at first need. */
export async function createSimulator(options: SimulatorOptions): Promise<Simulator> {
  return new Simulator(options, await createEngine(options.threads))
}

/** Runs quantum circuits, one job at a time. */
export class Simulator {
  readonly #clock: Clock
  readonly #engine: Engine
  readonly #workers: CircuitWorkers | undefined

  constructor({ clock, threads, circuitWorker }: SimulatorOptions, engine: Engine) {
    this.#clock = clock
    this.#engine = engine
    this.#workers = circuitWorker && new CircuitWorkers(threads, circuitWorker)
  }

  /** Starts the threads for large states, so that the first large circuit does not wait for them. */
  warmUp(): void {
    this.#engine.warmUp()
  }

  /** Ends all threads. */
  stop(): void {
    this.#engine.stop()
    this.#workers?.stop()
  }

  /**
   * Runs every circuit of a job with every parameter set; the results come in order.
   * @throws SimulationError when one circuit cannot be run; the job then has no results.
   */
  async run({ noise, ...request }: SimulationRequest, control: RunControl): Promise<ExecutionResult[]> {
    const timeBudget = new TimeBudget(this.#clock, control)
    const checkpoint = () => timeBudget.check()
    const executions = executionsOf(request.circuits, request.limits, checkpoint)
    const job: BatchJob = { ...request, noise: noise?.source }
    const resultBudget = resultBudgetOf(job)
    const dependencies = {
      noise: noise?.model,
      clock: this.#clock,
      engine: this.#engine,
      timeBudget,
      resultBudget,
    }
    const runner = new CircuitRunner(job, { ...dependencies, threads: 1 })
    runner.assertHold(executions)
    const results: ExecutionResult[] = []
    const isShareable = !noise || noise.source !== undefined
    if (this.#workers && isShareable && executions.length >= MIN_BATCH_CIRCUITS) {
      await this.#workers.run(job, executions, dependencies, control, results)
    }
    for (const execution of executions) {
      if (results[execution.stream]) continue
      control.phase(`circuit ${execution.stream}`)
      const result = await runner.run(runner.prepare(execution))
      results[execution.stream] = result
      control.ended?.(execution.stream, result)
    }
    return results
  }
}
