import { messageOf } from '../base/index.ts'
import type { JobFailure } from '../protocol/index.ts'

/** Code of a job whose device failed with an error that is not a `JobError`. */
const DEVICE_ERROR = 'device_error'

/**
 * Prevents the start: the driver prints `message` (one reason per line) and exits before it connects, with 1
 * for options and files that are wrong, and with 69 when the device cannot be created or started, which may
 * pass.
 */
export class StartupError extends Error {
  /** All reasons, the most specific first. */
  readonly reasons: readonly string[]
  /** Whether another start with the same options may succeed. */
  readonly mayPass: boolean

  constructor(reasons: string | readonly string[], { mayPass = false }: { mayPass?: boolean } = {}) {
    const list = typeof reasons === 'string' ? [reasons] : reasons
    super(list.join('\n'))
    this.name = 'StartupError'
    this.reasons = list
    this.mayPass = mayPass
  }
}

interface JobErrorDetails {
  /** `user` (default): the job itself is invalid and can never run. `device`: another attempt may succeed. */
  class?: JobFailure['class']
  /** A stable code for clients, such as `too_many_qubits`. */
  errorCode?: string
  /** Index of the circuit in the job, counted from 0. */
  circuitIndex?: number
  /** What only the owner of the job and superusers may read besides. */
  detail?: string
  /** Whether the device spent time on the job; false (the default) reports an execution time of 0. */
  executed?: boolean
  cause?: unknown
}

/** A failed job. The message is shown to the user unchanged: no paths of the host, no secrets. */
export class JobError extends Error {
  readonly class: JobFailure['class']
  readonly errorCode: string | undefined
  readonly circuitIndex: number | undefined
  readonly detail: string | undefined
  readonly executed: boolean

  constructor(message: string, details: JobErrorDetails = {}) {
    super(message, { cause: details.cause })
    this.name = 'JobError'
    this.class = details.class ?? 'user'
    this.errorCode = details.errorCode
    this.circuitIndex = details.circuitIndex
    this.detail = details.detail
    this.executed = details.executed ?? false
  }
}

/** A failed calibration. The report shows the message unchanged: no paths of the host, no secrets. */
export class CalibrationError extends Error {
  override readonly name = 'CalibrationError'
}

/** An order that names a routine or a target which the tuner does not have. Nothing was measured. */
export class OrderError extends Error {
  override readonly name = 'OrderError'
}

const MAX_DETAIL_LENGTH = 1_000

/**
 * The failure to report for an error that a device threw. A `JobError` is reported unchanged. Any other error
 * becomes `<ErrorName>: job execution failed, see the driver log`, because its text may contain paths of the
 * host, and is final and free of charge: the device does not ask for another attempt. Its last line is the
 * detail.
 */
export function jobFailureOf(error: unknown): { failure: JobFailure; executed: boolean } {
  if (!(error instanceof JobError)) {
    const name = error instanceof Error ? error.name : 'Error'
    const message = `${name}: job execution failed, see the driver log`
    const [line = ''] = messageOf(error).trim().split('\n').slice(-1)
    const detail = `${name}: ${line}`.slice(0, MAX_DETAIL_LENGTH)
    return { failure: { class: 'user', message, error_code: DEVICE_ERROR, detail }, executed: false }
  }
  return {
    failure: {
      class: error.class,
      message: error.message.slice(0, 4_000),
      ...(error.errorCode !== undefined && { error_code: error.errorCode }),
      ...(error.circuitIndex !== undefined && { circuit_index: error.circuitIndex }),
      ...(error.detail !== undefined && { detail: error.detail.slice(0, MAX_DETAIL_LENGTH) }),
    },
    executed: error.executed,
  }
}

/** The message to report for an error that a calibrate device threw: as `jobFailureOf`, for calibrations. */
export function calibrationFailureOf(error: unknown): string {
  if (error instanceof CalibrationError) return error.message
  const name = error instanceof Error ? error.name : 'Error'
  return `${name}: calibration failed, see the driver log`
}
