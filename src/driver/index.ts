export { listDevices, StartupError } from '../devices/index.ts'
export { runDeviceHost } from './device-process/host.ts'
export type { DriverSettings } from './settings.ts'
export { type DriverHandle, type DriverParts, startDriver } from './start.ts'
