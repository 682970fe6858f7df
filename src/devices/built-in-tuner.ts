import { openSimulatedChip } from './bench/simulated/open-simulated-chip.ts'
import type { CalibrateDevice, DeviceContext } from './define-device.ts'
import { provideSdk } from './provide-sdk.ts'
import { openPythonRoutines } from './tuning/python-routines/open-routines.ts'
import { BUILT_IN_ROUTINES } from './tuning/routines/index.ts'
import { createTuner } from './tuning/tuner-device.ts'
import type { TunerOptions } from './tuning/tuner-options.ts'

/** Creates a tuner with the routines and the simulated chip of this program. */
export function createBuiltInTuner(context: DeviceContext<TunerOptions>): Promise<CalibrateDevice> {
  return createTuner(context, {
    routines: BUILT_IN_ROUTINES,
    openSimulated: openSimulatedChip,
    provideSdk,
    openPythonRoutines,
  })
}
