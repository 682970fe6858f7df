import type { Operation } from '../protocol/index.ts'
import type { DeviceDef } from './define-device.ts'

/**
 * All devices built into the program, by operation and name, in alphabetical order. Each is loaded when it is
 * named: a driver runs one of them.
 */
export const BUILT_IN_DEVICES: { [Op in Operation]: Readonly<Record<string, () => Promise<DeviceDef<Op>>>> } =
  {
    process: {
      aer_sim: async () => (await import('./process/aer_sim/index.ts')).aerSim,
      mock: async () => (await import('./process/mock/index.ts')).mock,
      placeholder_device: async () =>
        (await import('./process/placeholder_device/index.ts')).placeholderDevice,
      scheduler_a: async () => (await import('./process/scheduler_a/index.ts')).schedulerA,
      scheduler_b: async () => (await import('./process/scheduler_b/index.ts')).schedulerB,
    },
    monitor: {
      cryostat_gen1: async () => (await import('./monitor/cryostat_gen1/index.ts')).cryostatGen1,
    },
    calibrate: {
      scheduler_a_tuner: async () => (await import('./calibrate/scheduler_a_tuner/index.ts')).schedulerATuner,
      scheduler_b_tuner: async () => (await import('./calibrate/scheduler_b_tuner/index.ts')).schedulerBTuner,
    },
  }

/** Names of the built-in devices of one operation, sorted. */
export function listDevices(operation: Operation): string[] {
  return Object.keys(BUILT_IN_DEVICES[operation])
}

/** The built-in device of one operation by name; undefined when there is none. */
export async function loadDevice<Op extends Operation>(
  operation: Op,
  name: string,
): Promise<DeviceDef<Op> | undefined> {
  const devices: Readonly<Record<string, () => Promise<DeviceDef<Op>>>> = BUILT_IN_DEVICES[operation]
  return Object.hasOwn(devices, name) ? devices[name]?.() : undefined
}
