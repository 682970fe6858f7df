import type { Operation } from '../protocol/index.ts'
import { schedulerATuner } from './calibrate/scheduler_a_tuner/index.ts'
import { schedulerBTuner } from './calibrate/scheduler_b_tuner/index.ts'
import type { DeviceDef } from './define-device.ts'
import { cryostatGen1 } from './monitor/cryostat_gen1/index.ts'
import { aerSim } from './process/aer_sim/index.ts'
import { mock } from './process/mock/index.ts'
import { placeholderDevice } from './process/placeholder_device/index.ts'
import { schedulerA } from './process/scheduler_a/index.ts'
import { schedulerB } from './process/scheduler_b/index.ts'

/** All devices built into the program, by operation, in alphabetical order. */
export const BUILT_IN_DEVICES: { [Op in Operation]: readonly DeviceDef<Op>[] } = {
  process: [aerSim, mock, placeholderDevice, schedulerA, schedulerB],
  monitor: [cryostatGen1],
  calibrate: [schedulerATuner, schedulerBTuner],
}

/** Names of the built-in devices of one operation, sorted. */
export function listDevices(operation: Operation): string[] {
  return BUILT_IN_DEVICES[operation].map((device) => device.name).sort()
}
