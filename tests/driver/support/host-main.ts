import { runDeviceHost } from '../../../src/driver/index.ts'

runDeviceHost()
