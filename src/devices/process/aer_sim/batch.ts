import { startWorker } from '../../../base/index.ts'
import type { CircuitResult } from '../../../protocol/index.ts'
import { JobError, type JobErrorDetails } from '../../errors.ts'
import type { Execution } from './executions.ts'
import { type ShareOfJob, type ShareParts, ShareRunner } from './run-share.ts'
import { type Report, Taking, takeShare } from './take-share.ts'

/** What a thread is told: run circuits of this job that nobody has taken. */
export interface ShareMessage {
  job: ShareOfJob
  taking: SharedArrayBuffer
  /** Time left, in ms. */
  ms: number
  /** Threads that share the memory. */
  threads: number
}

/** What a thread answers, once for each circuit that it has taken. */
export type ShareAnswer =
  | { kind: 'done'; stream: number; result: CircuitResult | undefined }
  | { kind: 'failed'; stream: number; message: string; details: JobErrorDetails | undefined }

/** Threads that run circuits of their own, so that many small ones occupy every processor. */
export class Batch {
  readonly #size: number
  #workers: Worker[] = []
  #onMessage: (answer: ShareAnswer) => void = () => undefined
  #onEnd: () => void = () => undefined

  /** `threads` counts the calling one. */
  constructor(threads: number) {
    this.#size = threads - 1
  }

  /**
   * Runs circuits of a job on all threads, the calling one included, into `results` by their number. Large ones are
   * left out.
   * @throws JobError of the first circuit that cannot be run, or when a thread ends.
   */
  async run(
    job: ShareOfJob,
    executions: readonly Execution[],
    parts: Omit<ShareParts, 'threads'>,
    results: CircuitResult[],
  ): Promise<void> {
    const threads = this.#size + 1
    const taking = new Taking(executions.length)
    const finished = Promise.withResolvers<void>()
    const reported = new Set<number>()
    const errors: { stream: number; error: unknown }[] = []
    const report = (answer: Report): void => {
      reported.add(answer.stream)
      parts.io.phase(`circuit ${reported.size}`)
      if ('error' in answer) errors.push(answer)
      else if (answer.result) results[answer.stream] = answer.result
      if (reported.size >= taking.end) finished.resolve()
    }
    const give = (reason: unknown): void => {
      taking.stop()
      finished.reject(reason)
    }
    // It may be rejected before anybody waits for it.
    finished.promise.catch(() => undefined)
    this.#onMessage = (answer) => report(reportOf(answer))
    this.#onEnd = () =>
      give(new JobError('a thread of the simulator ended', { class: 'device', executed: true }))
    const { signal } = parts.io
    const onAbort = () => give(signal.reason)
    signal.addEventListener('abort', onAbort, { once: true })
    try {
      const ms = parts.io.deadline - parts.clock.monotonic()
      this.#call({ job, taking: taking.buffer, ms, threads })
      await takeShare(new ShareRunner(job, { ...parts, threads }), executions, taking, report)
      await finished.promise
    } catch (error) {
      // Some threads are still at work: the next job starts others.
      this.stop()
      throw error
    } finally {
      signal.removeEventListener('abort', onAbort)
    }
    const [first] = errors.sort((a, b) => a.stream - b.stream)
    if (first) throw first.error
  }

  #call(message: ShareMessage): void {
    while (this.#workers.length < this.#size) this.#workers.push(this.#startOne())
    for (const worker of this.#workers) worker.postMessage(message)
  }

  #startOne(): Worker {
    const worker = startWorker('devices/process/aer_sim/batch-worker')
    const end = (): void => {
      if (!this.#workers.includes(worker)) return
      this.#workers = this.#workers.filter((each) => each !== worker)
      this.#onEnd()
    }
    worker.addEventListener('message', ({ data }: MessageEvent<ShareAnswer>) => this.#onMessage(data))
    worker.addEventListener('error', end)
    worker.addEventListener('close', end)
    return worker
  }

  /** Ends all threads. */
  stop(): void {
    const workers = this.#workers
    this.#workers = []
    for (const worker of workers) worker.terminate()
  }
}

function reportOf(answer: ShareAnswer): Report {
  if (answer.kind === 'done') return answer
  const { stream, message, details } = answer
  return { stream, error: details ? new JobError(message, details) : new Error(message) }
}
