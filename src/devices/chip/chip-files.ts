import type { Log } from '../../base/index.ts'
import { StartupError } from '../errors.ts'
import { unavailableGates } from './hardware/cross-check.ts'
import { HardwareConfig } from './hardware/hardware-config.ts'
import { WatchedDeviceFile } from './watched-device-file.ts'

/** The files that describe a chip and what plays it. */
interface ChipFiles {
  device: WatchedDeviceFile
  /** Undefined when no hardware file is named. */
  hardware: HardwareConfig | undefined
}

/**
 * Opens the device file and, where one is named, the hardware file; what the chip cannot do on that hardware
 * is logged, a line for each gate.
 * @throws StartupError with the problems of both files.
 */
export function openChipFiles(devicePath: string, hardwarePath: string | undefined, log: Log): ChipFiles {
  const reasons: string[] = []
  const device = opened(() => new WatchedDeviceFile(devicePath, log), reasons)
  const hardware =
    hardwarePath === undefined ? undefined : opened(() => new HardwareConfig(hardwarePath, log), reasons)
  if (!device || reasons.length > 0) throw new StartupError(reasons)
  const gates = hardware ? unavailableGates(device.current.chip, hardware.hardware) : []
  if (gates.length > 0) log.warn('the hardware cannot play some gates', { file: hardwarePath, gates })
  return { device, hardware }
}

/** What `open` returns, or undefined with its reasons added to the list. */
function opened<T>(open: () => T, reasons: string[]): T | undefined {
  try {
    return open()
  } catch (error) {
    if (!(error instanceof StartupError)) throw error
    reasons.push(...error.reasons)
    return undefined
  }
}
