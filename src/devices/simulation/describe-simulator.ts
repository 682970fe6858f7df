import {
  DEVICE_FEATURES,
  type DeviceDescription,
  type DeviceFeature,
  JOB_LIMITS,
} from '../../protocol/index.ts'

/** What only a device does that shows the states of its simulation. */
const OF_STATES: readonly DeviceFeature[] = ['exact', 'single_precision']
/** What every simulation method can do; in a simulation are neither raw traces nor calibrations. */
const ABSENT: ReadonlySet<string> = new Set([
  'meas_level_0',
  'dynamical_decoupling',
  'quality_condition',
  'scheduling',
  ...OF_STATES,
])
const FEATURES = DEVICE_FEATURES.filter((feature) => !ABSENT.has(feature))

interface SimulatorLimits {
  shots?: number
  qubits?: number
  /** Whether jobs may ask for exact values and choose the precision. */
  hasStates?: boolean
}

/** The description of a simulator without a chip: everything in `stdgates.inc` between any qubits. */
export function describeSimulator({ hasStates, ...limits }: SimulatorLimits = {}): DeviceDescription {
  return {
    schema: 1,
    features: hasStates ? [...FEATURES, ...OF_STATES] : FEATURES,
    limits: { shots: JOB_LIMITS.shots, executions: JOB_LIMITS.executions, ...limits },
    simulator: true,
  }
}
