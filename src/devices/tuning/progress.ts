import type { Clock } from '../../base/index.ts'
import { CALIBRATION_LIMITS, type CalibrationStep } from '../../protocol/index.ts'

interface ProgressOptions {
  readonly clock: Clock
  /** Aborts when the run is over. */
  readonly signal: AbortSignal
  send(step: CalibrationStep): void
}

/** The server drops what exceeds ten steps a second. */
const INTERVAL_MS = 100

/**
 * Sends the steps of a run, at most ten a second: of those that follow each other faster, the last one is
 * sent when its turn comes, with the newest trace and the outcomes of them all: qubits measured together end
 * immediately. The plan and the last step of a run are always sent.
 */
export class Progress {
  readonly #options: ProgressOptions
  /** Monotonic ms of the last sent step. */
  #sentAt = Number.NEGATIVE_INFINITY
  #pending: CalibrationStep | undefined
  #isWaiting = false

  constructor(options: ProgressOptions) {
    this.#options = options
  }

  report(step: CalibrationStep): void {
    const { clock } = this.#options
    const pauseMs = this.#sentAt + INTERVAL_MS - clock.monotonic()
    if (step.phase === 'plan' || (pauseMs <= 0 && !this.#isWaiting)) {
      this.#send(step)
      return
    }
    const before = this.#pending
    const trace = step.trace ?? before?.trace
    const ended = [...(before?.ended ?? []), ...outcomesOf(before)]
    this.#pending = { ...step, ...(trace && { trace }), ...(ended.length > 0 && { ended }) }
    if (ended.length >= CALIBRATION_LIMITS.stepOutcomes) this.flush()
    else if (!this.#isWaiting) void this.#sendLater(pauseMs)
  }

  /** Sends the last step if it still waits. */
  flush(): void {
    const step = this.#pending
    if (step) this.#send(step)
  }

  #send(step: CalibrationStep): void {
    this.#pending = undefined
    this.#sentAt = this.#options.clock.monotonic()
    this.#options.send(step)
  }

  async #sendLater(pauseMs: number): Promise<void> {
    this.#isWaiting = true
    const isOver = await this.#options.clock.sleep(pauseMs, this.#options.signal).then(
      () => false,
      () => true,
    )
    this.#isWaiting = false
    if (!isOver) this.flush()
  }
}

/** What a step says about a routine on a target that is over. */
function outcomesOf({ routine, target, outcome }: Partial<CalibrationStep> = {}) {
  if (routine === undefined || target === undefined || outcome === undefined) return []
  return [{ routine, target, outcome }]
}
