import { runDeviceHost } from '../../driver/index.ts'
import { defineCommand } from '../command-line/command.ts'

export const workerCommand = defineCommand({
  summary: 'Run the device for its driver',
  isHidden: true,
  run: () => runDeviceHost({ env: process.env }),
})
