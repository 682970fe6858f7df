import { existsSync } from 'node:fs'
import { parseDuration } from '../../base/index.ts'
import { StartupError } from '../errors.ts'
import { type OptionsOf, opt } from '../options.ts'

/** Shortest interval of drift checks, s. */
const MIN_INTERVAL_S = 60

const threshold = (elements: string, of: string, initial: number) =>
  opt.number({
    label: `Fidelity of ${elements}`,
    help: `Fidelity of ${of} below which it is calibrated again`,
    default: initial,
    example: '0.995',
  })

/** The `-o` options of a tuner. */
export const TUNER_OPTIONS = {
  ...opt.group('Files', {
    calibration_config: opt.path({
      label: 'Calibration',
      help: 'Which routines run, on which targets, over which ranges, YAML',
      required: true,
      example: '/etc/svc-driver/calibration.yml',
    }),
    scheduler_device_config: opt.path({
      label: 'Chip',
      help: 'Device configuration, YAML: read at the start of each calibration, and written at its end',
      required: true,
      example: '/etc/svc-driver/scheduler.device.yml',
    }),
    scheduler_hardware_config: opt.path({
      label: 'Hardware',
      help: 'Hardware configuration, JSON',
      example: '/etc/svc-driver/scheduler.hardware.json',
    }),
  }),
  ...opt.group('Instrument', {
    is_dummy: opt.bool({
      label: 'Dummy instrument',
      help: 'Uses an instrument that returns zeros: every routine fails',
      default: false,
    }),
    is_simulated: opt.bool({
      label: 'Simulated chip',
      help: 'Calibrates a simulated chip, stored in the data folder',
      default: false,
    }),
    spi_rack_address: opt.string({
      label: 'Address of the SPI rack',
      help: 'SPI rack whose modules hold the currents of couplers',
      example: '/dev/ttyACM0',
    }),
    save_raw_data: opt.bool({
      label: 'Keep raw data',
      help: 'Stores every acquisition in the data folder as NumPy files',
      default: false,
    }),
  }),
  ...opt.group('Drift checks', {
    drift_check_interval: opt.custom(parseDuration, {
      label: 'Interval',
      help: `Interval of automatic fidelity checks, at least ${MIN_INTERVAL_S}s; 0 = none`,
      default: 0,
      example: '6h',
    }),
    fidelity_threshold: threshold('qubits', 'a qubit', 0.99),
    fidelity_2q_threshold: threshold('edges', 'an edge', 0.95),
    drift_error_factor: opt.number({
      label: 'Growth of errors',
      help: 'How many times as large as when it was calibrated an error may be before a target is calibrated again',
      default: 3,
      example: '2',
    }),
  }),
} as const

export type TunerOptions = OptionsOf<typeof TUNER_OPTIONS>

/** @throws StartupError with every option that prevents the start. */
export function checkTunerOptions(options: TunerOptions): void {
  const { calibration_config: config, drift_check_interval: intervalMs } = options
  const reasons = [
    ...(options.is_dummy && options.is_simulated
      ? ['bad value for -o is_dummy: cannot be combined with is_simulated']
      : []),
    ...(intervalMs > 0 && intervalMs < MIN_INTERVAL_S * 1_000
      ? [`bad value for -o drift_check_interval: expected 0 or at least ${MIN_INTERVAL_S}s`]
      : []),
    ...(['fidelity_threshold', 'fidelity_2q_threshold'] as const)
      .filter((key) => !(options[key] > 0 && options[key] < 1))
      .map((key) => `bad value for -o ${key}: expected a number between 0 and 1`),
    ...(options.drift_error_factor > 1
      ? []
      : ['bad value for -o drift_error_factor: expected a number above 1']),
    ...(existsSync(config) ? [] : [`startup error: calibration config not found: ${config}`]),
  ]
  if (reasons.length > 0) throw new StartupError(reasons)
}
