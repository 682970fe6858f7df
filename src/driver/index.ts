export {
  type DeviceSchema,
  describeDevices,
  deviceEnvironment,
  type InstrumentCheck,
  listDevices,
  listInstalled,
  type OptionSchema,
  OrderError,
  StartupError,
} from '../devices/index.ts'
export { checkDeviceInstrument } from './check-instrument.ts'
export { runDeviceHost } from './device-process/host.ts'
export { type RoutineReport, runRoutine } from './run-routine.ts'
export { DRIVER_SETTINGS, type DriverSettings, readDriverSettings } from './settings.ts'
export { type DriverDependencies, type DriverHandle, startDriver } from './start.ts'
