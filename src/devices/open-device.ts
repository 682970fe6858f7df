import type { Clock, Log } from '../base/index.ts'
import type { Operation } from '../protocol/index.ts'
import { createRng, newSeed } from '../simulator/index.ts'
import type { CheckOrder, DeviceContext, DeviceOf, InstrumentCheck, PythonPlace } from './define-device.ts'
import { StartupError } from './errors.ts'
import type { DeviceOptions } from './read-options.ts'
import type { ResolvedDevice } from './resolve-device.ts'

interface OpenOptions {
  /** Name of the driver. */
  name: string
  /** What `readOptions` returned. */
  options: DeviceOptions
  log: Log
  /** Aborts when the driver stops. */
  signal: AbortSignal
  clock: Clock
  /** Which Python runs parts of the device that are written in it. */
  python?: PythonPlace
}

/** Functions that a device of each operation must have. */
const REQUIRED: { [Op in Operation]: readonly string[] } = {
  process: ['run'],
  monitor: ['start'],
  calibrate: ['start', 'calibrate'],
}

/** The context a device is created with. */
function deviceContext(device: ResolvedDevice, open: OpenOptions): DeviceContext {
  return {
    name: open.name,
    device: device.def.name,
    options: open.options.options,
    raw: open.options.raw,
    environment: open.options.environment,
    dataDir: open.options.dataDir,
    log: open.log,
    signal: open.signal,
    clock: open.clock,
    python: open.python,
    random: (seed = newSeed()) => createRng(seed),
  }
}

/** Runs the device's own checks; the driver calls it before it connects. */
export async function checkDevice(device: ResolvedDevice, open: OpenOptions): Promise<void> {
  await device.def.check?.(deviceContext(device, open))
}

/**
 * Checks the instrument of a device.
 * @throws StartupError for a device that declares no such check.
 */
export async function checkInstrument(
  device: ResolvedDevice,
  open: OpenOptions,
  order: CheckOrder,
): Promise<readonly InstrumentCheck[]> {
  const { def, label } = device
  if (!def.checkInstrument) throw new StartupError(`device ${label} has no check of its instrument`)
  return def.checkInstrument(deviceContext(device, open), order)
}

/**
 * Creates the device; the caller starts it.
 * @throws StartupError when the created device lacks a function that its operation needs.
 */
export async function openDevice<Op extends Operation>(
  device: ResolvedDevice<Op>,
  open: OpenOptions,
): Promise<DeviceOf[Op]> {
  const created = await device.def.create(deviceContext(device, open))
  for (const name of REQUIRED[device.def.operation]) {
    const has =
      typeof created === 'object' && created !== null && typeof Reflect.get(created, name) === 'function'
    if (!has)
      throw new StartupError(
        `device ${device.label} has no ${name}() function, which ${device.def.operation} needs`,
      )
  }
  return created
}
