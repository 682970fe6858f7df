import type { Clock, Log } from '../../../base/index.ts'
import type { Instrument } from '../../bench/instrument.ts'
import type { Hardware } from '../../chip/hardware/hardware-file.ts'
import type { DriftLimits } from '../drift/decide-drift.ts'
import type { CouplerMover } from '../walk/run-currents.ts'

/** What a tuner has for its runs. */
export interface CalibrationSetup {
  /** Device and instrument, for the report: `scheduler_a_tuner+simulated`. */
  readonly backend: string
  readonly devicePath: string
  readonly instrument: Instrument
  /** Undefined when nothing holds the currents of couplers. */
  readonly couplers: CouplerMover | undefined
  /** What is between the instrument and the chip; absent when nobody says. */
  readonly hardware?: Hardware | undefined
  readonly clock: Clock
  readonly log: Log
  /** False for an instrument without a chip, whose results mean nothing. */
  readonly mayWrite: boolean
  /** Beyond these a chip has drifted, also by the end of a run. */
  readonly limits: DriftLimits
}
