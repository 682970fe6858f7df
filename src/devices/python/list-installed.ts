import * as v from 'valibot'
import { type Clock, messageOf, withTimeout } from '../../base/index.ts'
import { OPERATIONS } from '../../protocol/index.ts'
import { listDevices } from '../built-in.ts'
import type { DeviceDef } from '../define-device.ts'
import { findPython } from '../python-worker/interpreter.ts'
import { described } from '../python-worker/messages.ts'
import { optionSpecsOf } from './option-specs.ts'

const TIMEOUT_MS = 120_000

interface ListingDependencies {
  /** `--python`; empty when not given. */
  given: string
  /** Folder of the program that was started; empty when unknown. */
  beside: string
  cwd: string
  env: Record<string, string | undefined>
  clock: Clock
}

const { name, options, environment } = described.entries
const listing = v.object({
  devices: v.array(v.object({ name, operation: v.optional(v.unknown()), options, environment })),
  skipped: v.array(v.string()),
})

/** Devices that packages of a Python advertise, and one line for each that cannot be used. */
interface InstalledDevices {
  devices: Omit<DeviceDef, 'create'>[]
  skipped: string[]
}

/**
 * Lists what installed packages advertise under `svc_driver.devices`. A Python without the package
 * `svc-driver` has no devices; a built-in device of the same name and operation wins.
 * @throws StartupError when the given Python does not exist.
 */
export async function listInstalled(place: ListingDependencies): Promise<InstalledDevices> {
  const { given, beside, cwd, env, clock } = place
  const interpreter = findPython({ given, beside, cwd, path: env['PATH'] ?? '' })
  if (interpreter === undefined) return { devices: [], skipped: [] }
  const process = Bun.spawn([interpreter, '-m', 'svc_driver', 'devices', '--json'], {
    cwd,
    env,
    stdio: ['ignore', 'pipe', given === '' ? 'ignore' : 'inherit'],
  })
  const text = await withTimeout(new Response(process.stdout).text(), {
    clock,
    ms: TIMEOUT_MS,
    onTimeout: () => '',
  })
  process.kill('SIGKILL')
  return text === '' ? { devices: [], skipped: [] } : readListing(text)
}

function readListing(text: string): InstalledDevices {
  let parsed: v.InferOutput<typeof listing>
  try {
    parsed = v.parse(listing, JSON.parse(text))
  } catch (error) {
    return { devices: [], skipped: [`the devices in Python cannot be listed: ${messageOf(error)}`] }
  }
  const skipped = [...parsed.skipped]
  const devices = parsed.devices.flatMap((device) => {
    const operation = OPERATIONS.find((each) => each === device.operation)
    if (!operation) skipped.push(`device ${device.name} is skipped: it names no operation`)
    else if (listDevices(operation).includes(device.name))
      skipped.push(`device ${device.name} in Python is hidden by the built-in one of the same name`)
    else {
      const [options, environment] = [optionSpecsOf(device.options), optionSpecsOf(device.environment)]
      return [{ name: device.name, operation, options, environment }]
    }
    return []
  })
  return { devices, skipped }
}
