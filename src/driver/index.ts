export { listDevices, StartupError } from '../devices/index.ts'
export { runDeviceHost } from './device-process/host.ts'
export { DRIVER_SETTINGS, type DriverSettings, readDriverSettings } from './settings.ts'
export { type DriverDependencies, type DriverHandle, startDriver } from './start.ts'
