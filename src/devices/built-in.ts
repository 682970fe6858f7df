import type { Operation } from '../protocol/index.ts'
import type { DeviceDef } from './define-device.ts'

/** Every device that comes with the program, by operation, in alphabetical order. */
export const BUILT_IN_DEVICES: { [Op in Operation]: readonly DeviceDef<Op>[] } = {
  process: [],
  monitor: [],
  calibrate: [],
}

/** Names of the built-in devices of one operation, sorted. */
export function listDevices(operation: Operation): string[] {
  return BUILT_IN_DEVICES[operation].map((device) => device.name).sort()
}
