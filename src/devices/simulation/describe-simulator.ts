import { DEVICE_FEATURES, type DeviceDescription, JOB_LIMITS } from '../../protocol/index.ts'

/** What every simulation method can do; raw traces (`meas_level_0`) do not exist in a simulation. */
const ABSENT: ReadonlySet<string> = new Set(['meas_level_0', 'exact', 'dynamical_decoupling'])
const FEATURES = DEVICE_FEATURES.filter((feature) => !ABSENT.has(feature))

interface SimulatorLimits {
  shots?: number
  qubits?: number
  /** Whether jobs may ask for exact values. */
  isExact?: boolean
}

/** The description of a simulator without a chip: everything in `stdgates.inc` between any qubits. */
export function describeSimulator({ isExact, ...limits }: SimulatorLimits = {}): DeviceDescription {
  return {
    schema: 1,
    features: isExact ? [...FEATURES, 'exact'] : FEATURES,
    limits: { shots: JOB_LIMITS.shots, executions: JOB_LIMITS.executions, ...limits },
    simulator: true,
  }
}
