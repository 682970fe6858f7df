import type { Clock, Log } from '../base/index.ts'
import { checkInstrument, type InstrumentCheck, readOptions, resolveDevice } from '../devices/index.ts'
import type { Operation } from '../protocol/index.ts'

interface CheckCall {
  operation: Operation
  /** Built-in name or import path. */
  device: string
  /** The `-o` arguments, `key=value` each. */
  optionPairs: readonly string[]
  dataDir: string
  /** Whether to reset the instrument first. */
  isReset: boolean
  /** Whether to check only the files of the device. */
  isFilesOnly?: boolean
}

interface CheckDependencies {
  clock: Clock
  log: Log
  /** Base folder of relative paths. */
  cwd: string
  /** Home folder of the user. */
  home: string
  env: Record<string, string | undefined>
}

/**
 * Checks the instrument of a device with the options of `driver start`, without a server.
 * @returns all steps until the first that failed.
 * @throws StartupError for wrong options and for a device without a check.
 */
export async function checkDeviceInstrument(
  { operation, device: name, optionPairs, dataDir, isReset, isFilesOnly = false }: CheckCall,
  { clock, log, cwd, home, env }: CheckDependencies,
): Promise<readonly InstrumentCheck[]> {
  const device = await resolveDevice({ operation, device: name, cwd })
  const options = readOptions({ device, pairs: optionPairs, cwd, home, dataDir, env, log })
  const { signal } = new AbortController()
  const order = { isReset, isFilesOnly }
  return checkInstrument(device, { name: device.def.name, options, log, signal, clock }, order)
}
