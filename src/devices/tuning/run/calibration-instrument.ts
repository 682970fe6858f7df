import { type Instrument, InstrumentError } from '../../bench/instrument.ts'
import { CalibrationError } from '../../errors.ts'
import type { AcquisitionKind, Program } from '../../pulse/schedule.ts'

/** How long a calibration waits for jobs that use the instrument, ms: longer than a job takes. */
const WAIT_MS = 120_000

/** An instrument whose failures end a calibration, with their words in its report. */
export function calibrationInstrument(instrument: Instrument): Instrument {
  return {
    backend: instrument.backend,
    open: () => instrument.open(),
    close: () => instrument.close(),
    async run<Kind extends AcquisitionKind>(program: Program<Kind>, signal: AbortSignal) {
      try {
        return await instrument.run(program, signal)
      } catch (error) {
        throw calibrationErrorOf(error)
      }
    },
  }
}

/**
 * Keeps others from using an instrument for a whole calibration.
 * @throws CalibrationError when they use it for too long; the reason of the signal.
 */
export async function reserve(instrument: Instrument, signal: AbortSignal): Promise<() => Promise<void>> {
  try {
    return (await instrument.reserve?.({ ms: WAIT_MS, signal })) ?? (async () => undefined)
  } catch (error) {
    throw calibrationErrorOf(error)
  }
}

function calibrationErrorOf(error: unknown): unknown {
  return error instanceof InstrumentError ? new CalibrationError(error.message, { cause: error }) : error
}
