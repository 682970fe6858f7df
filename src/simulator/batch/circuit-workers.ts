import { type RunningWorker, startWorker, type WorkerEntry } from '../../base/index.ts'
import type { Execution } from '../circuits/executions.ts'
import { SimulationError, type SimulationErrorDetails, WorkerEndedError } from '../errors.ts'
import type { BatchJob, ExecutionResult, RunControl } from './batch-job.ts'
import { CircuitRunner, type CircuitRunnerDependencies } from './circuit-runner.ts'
import { type CircuitReport, runNextCircuits, WorkQueue } from './work-queue.ts'

/** Sent to a thread: run circuits of this job from the queue. */
export interface BatchMessage {
  job: BatchJob
  queue: SharedArrayBuffer
  /** Numbers of the budget of results, which the threads share. */
  results: SharedArrayBuffer
  /** Time left for the job, in ms, at the time `sentAt` of `clock.now()`: a thread may take long to start. */
  ms: number
  sentAt: number
  /** Threads that share the memory. */
  threads: number
}

/** Sent by a thread, once for each circuit it took from the queue. */
export type BatchResponse =
  | { kind: 'done'; stream: number; result: ExecutionResult | undefined }
  | { kind: 'failed'; stream: number; message: string; details: SimulationErrorDetails | undefined }

/** Entry point of the threads: a file that serves requests by `circuitHandler`. */
export type CircuitWorker = WorkerEntry<BatchMessage, BatchResponse>

/** Threads that run whole circuits, so that many small circuits occupy every processor. */
export class CircuitWorkers {
  readonly #entry: CircuitWorker
  readonly #size: number
  #workers: RunningWorker<BatchMessage>[] = []
  #onMessage: (response: BatchResponse) => void = () => undefined
  #onEnd: () => void = () => undefined

  /** `threads` counts the calling thread. */
  constructor(threads: number, entry: CircuitWorker) {
    this.#size = threads - 1
    this.#entry = entry
  }

  /**
   * Runs circuits of a job on all threads, the calling one included, and stores their results by index in
   * `results`. Circuits that are too large for a batch get none.
   * @throws SimulationError of the first circuit that cannot be run.
   * @throws WorkerEndedError when a thread ends.
   */
  async run(
    job: BatchJob,
    executions: readonly Execution[],
    dependencies: Omit<CircuitRunnerDependencies, 'threads'>,
    control: RunControl,
    results: ExecutionResult[],
  ): Promise<void> {
    const threads = this.#size + 1
    const queue = new WorkQueue(executions.length)
    const finished = Promise.withResolvers<void>()
    const reported = new Set<number>()
    const errors: { stream: number; error: unknown }[] = []
    const onReport = (report: CircuitReport): void => {
      reported.add(report.stream)
      control.phase(`circuit ${reported.size}`)
      if ('error' in report) {
        errors.push(report)
        // The other threads have no more time either.
        if (isTimeout(report.error)) finished.reject(report.error)
      } else if (report.result) {
        results[report.stream] = report.result
        control.ended?.(report.stream, report.result)
      }
      if (reported.size >= queue.size) finished.resolve()
    }
    const giveUp = (reason: unknown): void => {
      queue.stop()
      finished.reject(reason)
    }
    // It may be rejected before it is awaited.
    finished.promise.catch(() => undefined)
    this.#onMessage = (response) => onReport(reportOf(response))
    this.#onEnd = () => giveUp(new WorkerEndedError())
    const { signal, deadline } = control
    const onAbort = () => giveUp(signal.reason)
    signal.addEventListener('abort', onAbort, { once: true })
    try {
      const { clock } = dependencies
      const ms = deadline - clock.monotonic()
      const { shared } = dependencies.resultBudget
      this.#post({ job, queue: queue.buffer, results: shared, ms, sentAt: clock.now(), threads })
      const runner = new CircuitRunner(job, { ...dependencies, threads })
      await runNextCircuits(runner, () => executions, queue, onReport)
      await finished.promise
    } catch (error) {
      // Some threads are still busy: the next job starts others.
      this.stop()
      throw error
    } finally {
      signal.removeEventListener('abort', onAbort)
    }
    const [first] = errors.sort((a, b) => a.stream - b.stream)
    if (first) throw first.error
  }

  #post(message: BatchMessage): void {
    while (this.#workers.length < this.#size) this.#workers.push(this.#startOne())
    for (const worker of this.#workers) worker.send(message)
  }

  #startOne(): RunningWorker<BatchMessage> {
    const worker = startWorker(this.#entry, {
      onResponse: (response) => this.#onMessage(response),
      onEnd: () => {
        this.#workers = this.#workers.filter((each) => each !== worker)
        this.#onEnd()
      },
    })
    return worker
  }

  /** Ends all threads. */
  stop(): void {
    const workers = this.#workers
    this.#workers = []
    for (const worker of workers) worker.terminate()
  }
}

function isTimeout(error: unknown): boolean {
  return error instanceof SimulationError && error.code === 'timed_out'
}

function reportOf(response: BatchResponse): CircuitReport {
  if (response.kind === 'done') return response
  const { stream, message, details } = response
  return { stream, error: details ? new SimulationError(message, details) : new Error(message) }
}
