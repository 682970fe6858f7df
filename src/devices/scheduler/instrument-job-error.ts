import type { Clock } from '../../base/index.ts'
import { InstrumentError } from '../bench/instrument.ts'
import { JobError, StartupError } from '../errors.ts'

/**
 * The failure of a job for that of its instrument: another attempt may succeed. A job that found the
 * instrument in use, or out of reach, was not executed. Other errors stay as they are.
 */
export function instrumentJobError(error: unknown): unknown {
  if (error instanceof InstrumentError) {
    const { code, message } = error
    const executed = code !== 'instrument_busy'
    return new JobError(message, { class: 'device', errorCode: code, executed, cause: error })
  }
  if (!(error instanceof StartupError)) return error
  const message = error.message.replace(/^startup error: /, '')
  return new JobError(message, { class: 'device', errorCode: 'instrument_failed', cause: error })
}

/** Time before its deadline at which a job gives up waiting for an instrument, to say why, ms. */
const BUSY_MARGIN_MS = 500

/** How long a job may wait for an instrument that others use, ms. */
export function waitOf(deadline: number, clock: Clock): number {
  return Math.max(0, deadline - clock.monotonic() - BUSY_MARGIN_MS)
}
