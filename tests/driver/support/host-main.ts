import { runDeviceHost } from '../../../src/driver/index.ts'

runDeviceHost({ env: process.env })
