export { bitString, createRng, type Rng } from '../simulator/index.ts'
export { BUILT_IN_DEVICES, listDevices } from './built-in.ts'
export { readText } from './chip/files/watched-file.ts'
export {
  type RestoredDeviceFile,
  type RestoredValue,
  restoreDeviceFile,
} from './chip/restore-device-file.ts'
export { convertQuantumDevice } from './chip/saved-quantum-device.ts'
export {
  type CalibrateDevice,
  type CalibrationIo,
  type CalibrationRequest,
  type DeviceContext,
  type DeviceDef,
  type DeviceOf,
  defineDevice,
  type InstrumentCheck,
  type Job,
  type JobIo,
  type MonitorDevice,
  type MonitorIo,
  type ProcessDevice,
  type PythonPlace,
  type RoutineOrder,
  type StopIo,
  type TunerIo,
} from './define-device.ts'
export { type DeviceSchema, describeDevices, type OptionSchema } from './describe-options.ts'
export {
  CalibrationError,
  calibrationFailureOf,
  JobError,
  jobFailureOf,
  OrderError,
  StartupError,
} from './errors.ts'
export {
  type SimulatedFridge,
  startSimulatedFridge,
} from './monitor/cryostat_gen1/simulated-fridge/index.ts'
export { checkDevice, checkInstrument, openDevice } from './open-device.ts'
export { deviceEnvironment } from './operation-options.ts'
export { type OptionSpec, type OptionSpecs, type OptionsOf, OptionValueError, opt } from './options.ts'
export { listInstalled } from './python/list-installed.ts'
export { type DeviceOptions, readOptions } from './read-options.ts'
export { type ResolvedDevice, resolveDevice } from './resolve-device.ts'
export {
  type CheckedJob,
  checkPartialResults,
  checkResults,
  circuitResultOf,
  jobResultsOf,
  labelBytes,
} from './results.ts'
export { checkSafePath, notSafe, type PathContext } from './safe-path.ts'
