import type { JobFailure } from '../protocol/index.ts'

/** A reason not to start at all: the driver prints `message` (one reason per line) and exits 1 before connecting. */
export class StartupError extends Error {
  /** Every reason, the most specific first. */
  readonly reasons: readonly string[]

  constructor(reasons: string | readonly string[]) {
    const list = typeof reasons === 'string' ? [reasons] : reasons
    super(list.join('\n'))
    this.name = 'StartupError'
    this.reasons = list
  }
}

export interface JobErrorDetails {
  /** `user` (default): the job itself is at fault and runs never. `device`: running it again may help. */
  class?: JobFailure['class']
  /** A stable code for clients, such as `too_many_qubits`. */
  errorCode?: string
  /** Which circuit of the job, counted from 0. */
  circuitIndex?: number
  /** Whether the device spent time on the job; false (default) reports an execution time of 0. */
  executed?: boolean
  cause?: unknown
}

/** A failed job. The message is shown to the user as it is: no paths of the host, no secrets. */
export class JobError extends Error {
  readonly class: JobFailure['class']
  readonly errorCode: string | undefined
  readonly circuitIndex: number | undefined
  readonly executed: boolean

  constructor(message: string, details: JobErrorDetails = {}) {
    super(message, { cause: details.cause })
    this.name = 'JobError'
    this.class = details.class ?? 'user'
    this.errorCode = details.errorCode
    this.circuitIndex = details.circuitIndex
    this.executed = details.executed ?? false
  }
}

/** A failed calibration. The message is shown in its report as it is: no paths of the host, no secrets. */
export class CalibrationError extends Error {
  override readonly name = 'CalibrationError'
}

/**
 * What is reported for anything a device threw. A `JobError` is passed on word by word; anything else becomes
 * `<ErrorName>: job execution failed, see the driver log`, because its text may name paths of the host.
 */
export function jobFailureOf(error: unknown): { failure: JobFailure; executed: boolean } {
  if (!(error instanceof JobError)) {
    const name = error instanceof Error ? error.name : 'Error'
    return {
      failure: { class: 'device', message: `${name}: job execution failed, see the driver log` },
      executed: true,
    }
  }
  return {
    failure: {
      class: error.class,
      message: error.message.slice(0, 4_000),
      ...(error.errorCode !== undefined && { error_code: error.errorCode }),
      ...(error.circuitIndex !== undefined && { circuit_index: error.circuitIndex }),
    },
    executed: error.executed,
  }
}

/** What a report says of anything a calibrate device threw: as `jobFailureOf`, for calibrations. */
export function calibrationFailureOf(error: unknown): string {
  if (error instanceof CalibrationError) return error.message
  const name = error instanceof Error ? error.name : 'Error'
  return `${name}: calibration failed, see the driver log`
}
