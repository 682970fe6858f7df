import type { Operation } from '../protocol/index.ts'
import { type OptionSpecs, opt } from './options.ts'

const jobTimeout = opt.seconds({
  help: 'Maximum execution time of one job; 10 unless the device declares another one',
  label: 'Time limit of a job',
  min: 0.001,
  max: 86_400,
  example: '10',
})

const dataDir = opt.path({ help: 'Data folder of the driver', example: '/var/svc-driver/data' })

/** Options that the driver reads itself for every device; devices receive them as context fields. */
export const DRIVER_OPTIONS: { [Op in Operation]: OptionSpecs } = {
  process: { data_dir: dataDir, ...opt.group('Driver', { job_timeout: jobTimeout }) },
  monitor: { data_dir: dataDir },
  calibrate: { data_dir: dataDir },
}

/**
 * Options of an operation. All its built-in devices accept them; without effect if a device does not declare
 * them.
 */
export const OPERATION_OPTIONS: { [Op in Operation]: OptionSpecs } = {
  process: {
    is_dummy: opt.bool({ help: 'Uses a dummy instrument instead of a real one', default: false }),
    scheduler_hardware_config: opt.path({
      help: 'Hardware configuration, JSON',
      example: '/etc/svc-driver/scheduler.hardware.json',
    }),
    scheduler_device_config: opt.path({
      help: 'Device configuration, YAML',
      example: '/etc/svc-driver/scheduler.device.yml',
    }),
  },
  monitor: {},
  calibrate: {},
}

/**
 * Keys that name files, which must lie in a safe location even if an imported device does not declare them.
 */
export const PATH_KEYS: readonly string[] = [
  'calibration_config',
  'scheduler_device_config',
  'scheduler_hardware_config',
]

/** The variables of our own prefix that are meant for devices: those that built-in devices declare. */
const DEVICE_VARIABLES: readonly string[] = ['SVC_CRYOSTAT_CA_FILE']

/**
 * Whether the code of a device receives a variable of the environment of its driver. It is not trusted with
 * what concerns the service: settings and credentials of drivers, servers and clients all begin with `SVC_`.
 * The folder of a service manager's credentials is withheld too. The two `BUN_` variables would change what
 * the executable runs. Libraries of instruments need the others.
 */
export function isForDevices(name: string): boolean {
  if (name.startsWith('SVC_')) return DEVICE_VARIABLES.includes(name)
  return !['BUN_OPTIONS', 'BUN_BE_BUN', 'CREDENTIALS_DIRECTORY'].includes(name)
}

/** The variables of `env` that the code of a device receives. */
export function deviceEnvironment(env: Record<string, string | undefined>): Record<string, string> {
  const passed: Record<string, string> = {}
  for (const [name, value] of Object.entries(env)) {
    if (value !== undefined && isForDevices(name)) passed[name] = value
  }
  return passed
}
