import { existsSync, readFileSync } from 'node:fs'
import { type OptionsOf, opt } from '../options.ts'

/** The `-o` options of a device that runs circuits on a chip. */
export const SCHEDULER_OPTIONS = {
  ...opt.group('Files', {
    scheduler_device_config: opt.path({
      label: 'Chip',
      help: 'Device configuration, YAML: read again before each job after it has changed',
      required: true,
      example: '/etc/svc-driver/scheduler.device.yml',
    }),
    scheduler_hardware_config: opt.path({
      label: 'Hardware',
      help: 'Hardware configuration, JSON; ip sim:<file> is a simulated chip',
      example: '/etc/svc-driver/scheduler.hardware.json',
    }),
  }),
  ...opt.group('Instrument', {
    is_dummy: opt.bool({
      label: 'Dummy instrument',
      help: 'Uses a dummy instrument: all outcomes are 0',
      default: false,
    }),
  }),
} as const

/** Those of the device that can keep what its instrument returned. */
export const SCHEDULER_B_OPTIONS = {
  ...SCHEDULER_OPTIONS,
  ...opt.group('Instrument', {
    save_raw_data: opt.bool({
      label: 'Keep raw data',
      help: 'Stores every acquisition in the data folder as NumPy files, with a snapshot of the instrument',
      default: false,
    }),
  }),
} as const

export type SchedulerOptions = OptionsOf<typeof SCHEDULER_OPTIONS> &
  Partial<OptionsOf<typeof SCHEDULER_B_OPTIONS>>

/** How the address of a simulated chip begins. */
export const SIMULATED = 'sim:'

/** Longest execution of a job, s: a simulated chip calculates for minutes what hardware plays in ms. */
export function jobTimeoutOf({ scheduler_hardware_config: path }: Record<string, unknown>): number {
  const text = typeof path === 'string' && existsSync(path) ? readFileSync(path, 'utf8') : ''
  return text.includes(`"${SIMULATED}`) ? 600 : 10
}
