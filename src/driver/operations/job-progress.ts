import { type Alarm, newId } from '../../base/index.ts'
import { type CheckedJob, checkPartialResults, JobError } from '../../devices/index.ts'
import { type CircuitResult, JOB_LIMITS, type PartialResults, type RunJob } from '../../protocol/index.ts'
import { writeEvent } from '../messages/write-event.ts'
import type { OperationIo } from './operation.ts'

/** Time between two events of a job, in ms; a job that succeeds sooner sends none. */
const INTERVAL_MS = 1_000

/**
 * Reports how far one attempt is, and the results of its circuits that have ended, at most once a second.
 * They are checked and encoded when they are sent, so that they cost a short job nothing.
 */
export class JobProgress {
  readonly #io: Pick<OperationIo, 'clock' | 'alarms' | 'log' | 'send'>
  readonly #command: RunJob
  readonly #job: CheckedJob
  readonly #total: number
  readonly #results = new Map<number, CircuitResult>()
  /** Positions of those that are not sent. */
  readonly #unsent = new Set<number>()
  #bytes = 0
  #part: number | undefined
  #sentPart = 0
  #due: Alarm | undefined
  #problem: JobError | undefined

  /** `total`: number of results of the job. */
  constructor(io: Pick<OperationIo, 'clock' | 'alarms' | 'log' | 'send'>, command: RunJob, job: CheckedJob) {
    this.#io = io
    this.#command = command
    this.#job = job
    this.#total = command.payload.circuits.reduce(
      (sum, { parameter_values: sets }) => sum + Math.max(1, sets?.length ?? 0),
      0,
    )
  }

  /** Sets the part that is done; what is not a number from 0 to 1 is logged. */
  set(part: number): void {
    if (part >= 0 && part <= 1) this.#part = part
    else
      this.#io.log.warn('the device reports a progress that is not from 0 to 1', { progress: String(part) })
    this.#sendLater()
  }

  /** Takes the result of one circuit. That of the only one comes with the end of the job. */
  add(index: number, result: CircuitResult): void {
    if (this.#total === 1 || this.#results.has(index)) return
    this.#results.set(index, result)
    this.#unsent.add(index)
    this.#sendLater()
  }

  /** Sends what is left to send, now. */
  flush(): void {
    this.#due?.clear()
    this.#due = undefined
    if (this.#command.knows_progress !== true) return
    const part = this.#part ?? this.#results.size / this.#total
    if (this.#unsent.size === 0 && part === this.#sentPart) return
    const results = this.#takeUnsent()
    this.#sentPart = part
    const { clock, send } = this.#io
    const { job, attempt } = this.#command
    const id = newId(clock.now())
    const body = writeEvent(clock, 'JobProgress', id, { job, attempt, progress: part, results })
    send({ kind: 'event', type: 'JobProgress', id, body })
  }

  /** The connection has ended, and what was sent may be lost: everything is to be sent again. */
  resend(): void {
    for (const index of this.#results.keys()) this.#unsent.add(index)
    this.#bytes = 0
    this.#sentPart = 0
    if (this.#results.size > 0 || this.#part !== undefined) this.#sendLater()
  }

  /**
   * Ends the reports of a job that has failed (its last results are sent) or that completes.
   * @throws JobError `invalid_results` of a completed job whose single results were not valid.
   */
  end(outcome: 'completed' | 'failed'): void {
    if (outcome === 'failed') this.flush()
    this.#due?.clear()
    this.#due = undefined
    if (outcome === 'completed' && this.#problem) throw this.#problem
  }

  #sendLater(): void {
    this.#due ??= this.#io.alarms.set(INTERVAL_MS, () => this.flush())
  }

  /** Those that are valid and within the bytes that the server keeps; nothing follows an invalid one. */
  #takeUnsent(): PartialResults {
    const unsent = [...this.#unsent].map((index) => ({ index, result: this.#results.get(index) }))
    this.#unsent.clear()
    if (this.#problem) return []
    try {
      return checkPartialResults(unsent, this.#job).filter((each) => {
        this.#bytes += Buffer.byteLength(JSON.stringify(each))
        return this.#bytes <= JOB_LIMITS.partialBytes
      })
    } catch (error) {
      if (!(error instanceof JobError)) throw error
      this.#problem = error
      return []
    }
  }
}
