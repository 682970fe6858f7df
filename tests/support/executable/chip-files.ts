import { copyFileSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { systemClock } from '../../../src/base/index.ts'
import { openSimulatedChip } from '../../../src/devices/bench/simulated/open-simulated-chip.ts'
import { type DeviceFile, readDeviceFile } from '../../../src/devices/chip/device-file.ts'

const EXAMPLE = join(import.meta.dir, '../../../examples/scheduler.device.yml')

/**
 * Places the files of a tuner into a folder: the example device file, or the given one, and a
 * `calibration.yml`. With a seed, the simulated chip of the data folder `data` is drawn from it, so that a
 * test calibrates the same chip at each run.
 */
export async function placeChipFiles(
  folder: string,
  { device, config = '', seed }: { device?: string; config?: string; seed?: number } = {},
): Promise<void> {
  const path = join(folder, 'scheduler.device.yml')
  if (device === undefined) copyFileSync(EXAMPLE, path)
  else writeFileSync(path, device)
  writeFileSync(join(folder, 'calibration.yml'), config)
  if (seed === undefined) return
  await drawSimulatedChip(join(folder, 'data'), await Bun.file(path).text(), seed)
}

/** Draws the simulated chip of a data folder around the values of a device file. */
export async function drawSimulatedChip(dataDir: string, device: string, seed: number): Promise<void> {
  mkdirSync(dataDir, { recursive: true, mode: 0o700 })
  const { chip } = readDeviceFile(device) as DeviceFile
  const simulated = await openSimulatedChip({ chip, dataDir, clock: systemClock, seed })
  await simulated.close()
}
