import { defineGroup } from '../command-line/command.ts'

export const driverCommand = defineGroup(
  'Run drivers and single routines, check instruments, list devices, convert and restore their files',
  {
    start: async () => (await import('./start.ts')).startCommand,
    devices: async () => (await import('./devices.ts')).devicesCommand,
    calibrate: async () => (await import('../calibrate/calibrate.ts')).calibrateCommand,
    check: async () => (await import('../check/check.ts')).checkCommand,
    'convert-device-file': async () =>
      (await import('../device-file/convert-device-file.ts')).convertDeviceFileCommand,
    'restore-device-file': async () =>
      (await import('../device-file/restore-device-file.ts')).restoreDeviceFileCommand,
    worker: async () => (await import('./worker.ts')).workerCommand,
  },
)
