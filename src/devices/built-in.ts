import type { Operation } from '../protocol/index.ts'
import type { DeviceDef } from './define-device.ts'
import { cryostatGen1 } from './monitor/cryostat_gen1/index.ts'
import { aerSim } from './process/aer_sim/index.ts'
import { mock } from './process/mock/index.ts'
import { placeholderDevice } from './process/placeholder_device/index.ts'

/** All devices built into the program, by operation, in alphabetical order. */
export const BUILT_IN_DEVICES: { [Op in Operation]: readonly DeviceDef<Op>[] } = {
  process: [aerSim, mock, placeholderDevice],
  monitor: [cryostatGen1],
  calibrate: [],
}

/** Names of the built-in devices of one operation, sorted. */
export function listDevices(operation: Operation): string[] {
  return BUILT_IN_DEVICES[operation].map((device) => device.name).sort()
}
