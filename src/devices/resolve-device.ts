import { isAbsolute, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { messageOf } from '../base/index.ts'
import type { Operation } from '../protocol/index.ts'
import { OPERATIONS } from '../protocol/index.ts'
import { listDevices, loadDevice } from './built-in.ts'
import type { DeviceContext, DeviceDef, DeviceOf } from './define-device.ts'
import { StartupError } from './errors.ts'
import { provideSdk } from './provide-sdk.ts'
import { openPython, type PythonHost } from './python/open-python.ts'

/** A device that can be created. */
export interface ResolvedDevice<Op extends Operation = Operation> {
  def: DeviceDef<Op>
  /** The device as a message names it: its name, or the import path. */
  label: string
  /** True for a device named by import path: it also receives keys that it does not declare. */
  imported: boolean
  /** Whether it is part of this program, and has its version. */
  isBuiltIn?: boolean
}

interface DeviceChoice<Op extends Operation> {
  operation: Op
  /** A name such as `aer_sim`, or an import path such as `./module.js#export` or `lab.chip:Chip`. */
  device: string
  /** Base folder of relative import paths. */
  cwd: string
  /** What devices in Python need; without it they are refused. */
  python?: PythonHost
}

const IMPORT_PATH = /#|^(\.{1,2}\/|\/|file:)/

/** Whether `device` names a module instead of a built-in device. */
function isImportPath(device: string): boolean {
  return IMPORT_PATH.test(device)
}

/** Replaces hyphens by underscores, so that the name is valid for instruments and folders. */
function normalizeName(name: string): string {
  return name.replaceAll('-', '_')
}

/**
 * Finds the device of a driver, by name or by import path.
 * @throws StartupError when it is unknown, cannot be imported or implements another operation.
 */
export async function resolveDevice<Op extends Operation>(
  choice: DeviceChoice<Op>,
): Promise<ResolvedDevice<Op>> {
  if (isImportPath(choice.device)) return importDevice(choice)
  const name = normalizeName(choice.device)
  const def = await loadDevice(choice.operation, name)
  if (def) return { def, label: name, imported: false, isBuiltIn: true }
  const isPath = PYTHON_IMPORT_PATH.test(choice.device) && !SCRIPT_FILE.test(choice.device)
  const found = await lookInPython(choice, isPath)
  if ('def' in found) return found
  if (isPath) throw new StartupError(`device ${choice.device} is written in Python: ${found.reason}`)
  const hint = SCRIPT_FILE.test(choice.device)
    ? `: a module is given as path, ${formsOf(choice.device)}`
    : otherOperation(name)
  const known = [...listDevices(choice.operation), ...found.known].join(', ') || 'none'
  throw new StartupError([
    `unknown ${choice.operation} device ${choice.device}${hint}; known devices: ${known}`,
    ...(found.reason !== undefined && choice.python?.given ? [`  ${found.reason}`] : []),
  ])
}

const SCRIPT_FILE = /\.[cm]?[jt]s$/
/** `module:attr` or `module.attr`, the import paths of Python. */
const PYTHON_IMPORT_PATH = /^[A-Za-z_]\w*(\.[A-Za-z_]\w*)*[.:][A-Za-z_]\w*$/

/** Names the operation of a built-in device that was asked for under another one. */
function otherOperation(name: string): string {
  const operation = OPERATIONS.find((each) => listDevices(each).includes(name))
  return operation === undefined ? '' : `: it is a ${operation} device, use --operation ${operation}`
}

function formsOf(file: string): string {
  return `./${file} or ./${file}#export`
}

/** The device among those in Python; otherwise their names, and the reason when there is no Python. */
async function lookInPython<Op extends Operation>(
  choice: DeviceChoice<Op>,
  isPath: boolean,
): Promise<ResolvedDevice<Op> | { known: readonly string[]; reason?: string }> {
  const { python, device } = choice
  if (!python || SCRIPT_FILE.test(device))
    return { known: [], reason: 'only svc driver start runs devices in Python' }
  const found = await openPython(choice, python)
  if (!('def' in found)) return found
  assertOperation(found.operation, choice)
  // Its operation is the chosen one.
  const def = found.def as unknown as DeviceDef<Op>
  return { def, label: isPath ? device : def.name, imported: isPath }
}

async function importDevice<Op extends Operation>(choice: DeviceChoice<Op>): Promise<ResolvedDevice<Op>> {
  const hash = choice.device.indexOf('#')
  const path = hash < 0 ? choice.device : choice.device.slice(0, hash)
  const exportName = hash < 0 ? 'default' : choice.device.slice(hash + 1)
  const loaded = await load(choice, path)
  const found: unknown = Object.hasOwn(loaded, exportName) ? loaded[exportName] : undefined
  if (found === undefined) {
    const exports = Object.keys(loaded).join(', ') || 'nothing'
    throw new StartupError(
      `device ${choice.device}: ${path} has no export ${exportName}; it exports ${exports}`,
    )
  }
  const def = definitionOf(found, choice, logName(path, exportName))
  return { def, label: choice.device, imported: true }
}

async function load(choice: DeviceChoice<Operation>, path: string): Promise<Record<string, unknown>> {
  await provideSdk()
  try {
    const file = path.startsWith('file:') ? fileURLToPath(path) : path
    return await import(isAbsolute(file) ? file : resolve(choice.cwd, file))
  } catch (error) {
    // The importing file of this program is irrelevant to the user.
    const reason = messageOf(error).replace(` imported from ${import.meta.path}`, '')
    throw new StartupError(`device ${choice.device} cannot be imported: ${reason}`)
  }
}

/** The export's name, or the file's for a default export, as a device name. */
function logName(path: string, exportName: string): string {
  const file =
    path
      .split('/')
      .at(-1)
      ?.replace(/\.[^.]*$/, '') ?? ''
  return normalizeName(exportName === 'default' ? file : exportName)
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null
}

type Maker = (context: DeviceContext) => unknown
type MakerClass = (new (context: DeviceContext) => unknown) & { operation?: unknown }

function isClass(value: unknown): value is MakerClass {
  return typeof value === 'function' && /^class\b/.test(Function.prototype.toString.call(value))
}

function definitionOf<Op extends Operation>(
  found: unknown,
  choice: DeviceChoice<Op>,
  name: string,
): DeviceDef<Op> {
  const { device, operation } = choice
  if (isClass(found)) {
    assertOperation(found.operation, choice)
    return wrap(name, choice, (context) => new found(context))
  }
  if (typeof found === 'function') return wrap(name, choice, (context) => found(context))
  if (!isRecord(found)) {
    throw new StartupError(
      `device ${device} is not a device definition, class or function; export the result of defineDevice()`,
    )
  }
  const { operation: own, create: make } = found
  assertOperation(own, choice)
  if (typeof make !== 'function') throw new StartupError(`device ${device} has no create(context) function`)
  // Operation and create are checked above, the created device in openDevice.
  return { ...(found as unknown as DeviceDef<Op>), name, operation }
}

function assertOperation(found: unknown, { device, operation }: DeviceChoice<Operation>): void {
  if (found === operation) return
  const known = OPERATIONS.find((each) => each === found)
  if (!known)
    throw new StartupError(`device ${device} does not name its operation; add operation: '${operation}'`)
  throw new StartupError(`device ${device} is a ${known} device, not ${operation}`)
}

function wrap<Op extends Operation>(
  name: string,
  { operation }: DeviceChoice<Op>,
  make: Maker,
): DeviceDef<Op> {
  return { name, operation, create: (context) => make(context) as DeviceOf[Op] | Promise<DeviceOf[Op]> }
}
