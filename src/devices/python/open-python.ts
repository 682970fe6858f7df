import type { Operation } from '../../protocol/index.ts'
import type { DeviceDef, PythonPlace } from '../define-device.ts'
import { StartupError } from '../errors.ts'
import { findPython } from '../python-worker/interpreter.ts'
import type { Described } from '../python-worker/messages.ts'
import { MissingSdkError, PythonWorker } from '../python-worker/python-worker.ts'
import { optionSpecsOf } from './option-specs.ts'
import { FORWARD } from './python-device.ts'

const DESCRIBE_TIMEOUT_MS = 120_000

/** What a program offers to devices in Python. */
export interface PythonHost extends PythonPlace {
  /** The process of the device has ended; `how` is a signal name or an exit code. */
  onEnd(how: string): void
}

/** A device to look for. */
interface PythonChoice {
  operation: Operation
  /** `module:attr`, `module.attr`, or a name under which an installed package advertises a device. */
  device: string
  cwd: string
}

/** A device in Python that can be created once; `operation` is what its class names. */
interface PythonDevice {
  operation: unknown
  def: DeviceDef
}

/** Why there is no device of a name, and the names of those that there are. */
interface NoPythonDevice {
  known: readonly string[]
  /** Set when there is no Python for devices at all. */
  reason?: string
}

/**
 * Starts Python, which imports and describes the device.
 * @throws StartupError when it cannot be imported or run.
 */
export async function openPython(
  { operation, device, cwd }: PythonChoice,
  { given, beside, clock, log, env, onEnd }: PythonHost,
): Promise<PythonDevice | NoPythonDevice> {
  const interpreter = findPython({ given, beside, cwd, path: env['PATH'] ?? '' })
  if (interpreter === undefined) {
    return { known: [], reason: 'there is no python3 on the PATH; name one with --python' }
  }
  const worker = new PythonWorker(interpreter, { clock, log, env, cwd, onEnd })
  try {
    await worker.negotiate()
  } catch (error) {
    if (error instanceof MissingSdkError) return { known: [], reason: error.message }
    throw error
  }
  const answer = await worker.ask(
    { m: 'describe', protocol: 1, operation, device },
    { answers: ['described', 'refused'], timeoutMs: DESCRIBE_TIMEOUT_MS, what: 'describe the device' },
  )
  if (answer.m === 'described')
    return { operation: answer.operation, def: definitionOf(worker, answer, operation) }
  worker.kill()
  if (answer.known) return { known: answer.known }
  throw new StartupError(answer.reasons)
}

function definitionOf(worker: PythonWorker, described: Described, operation: Operation): DeviceDef {
  const { name, version, bind, compiles, describes, options, environment, takes_any_option, job_timeout } =
    described
  return {
    name,
    operation,
    version: version ?? undefined,
    options: optionSpecsOf(options),
    takesAnyOption: takes_any_option || (options.length > 0 ? false : undefined),
    jobTimeout: job_timeout ?? undefined,
    environment: optionSpecsOf(environment),
    create: (context) => FORWARD[operation](worker, context, { bind, compiles, describes }),
  }
}
