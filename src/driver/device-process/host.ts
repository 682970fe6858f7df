import { writeFileSync } from 'node:fs'
import * as v from 'valibot'
import { Alarms, type Clock, endWithParent, messageOf, systemClock } from '../../base/index.ts'
import {
  checkDevice,
  type DeviceOptions,
  openDevice,
  type PythonPlace,
  type ResolvedDevice,
  readOptions,
  resolveDevice,
  StartupError,
} from '../../devices/index.ts'
import { command } from '../../protocol/index.ts'
import { parseJson } from '../messages/command-head.ts'
import { type DeviceChoice, type FromHost, type ToHost, toHost } from '../messages/host-messages.ts'
import { runCalibrate } from '../operations/calibrate.ts'
import { runMonitor } from '../operations/monitor.ts'
import type { OperationIo, RunningOperation } from '../operations/operation.ts'
import { runProcess } from '../operations/process.ts'
import { CloseDeadline } from './close-deadline.ts'
import { relayLog } from './host-log.ts'

/**
 * Time beyond that for closing, after which a process without its driver is killed if it does not respond.
 */
const PARENT_GRACE_MS = 500
/** A process that never begins to close. */
const PARENT_TIMEOUT_MS = 2_500
const MAX_REASON_LENGTH = 200
/** Longest version that a device may name. */
const MAX_VERSION_LENGTH = 100

interface DeviceHost {
  /** Handles one message of the driver. */
  receive(raw: unknown): void
  /** Closes the device if it is open. */
  close(): Promise<void>
}

interface DeviceHostDependencies {
  clock: Clock
  /**
   * Environment of the child process, without the driver's secrets; devices receive the variables they
   * declare.
   */
  env: Record<string, string | undefined>
  send(message: FromHost): void
  /** Called when the device has been closed on request. */
  onStopped(): void
  /** Called when the process of a device in Python has ended; the driver has to learn `how`. */
  onDeviceEnded?(how: string): void
  /** Called when the device needs `ms` from now to close. */
  onExtended?(ms: number): void
}

interface Prepared {
  /** Version of the driver. */
  version: string
  device: ResolvedDevice
  options: DeviceOptions
  python: PythonPlace
}

/** The child side of the driver: finds, opens and runs the device on command of the driver. */
export function createDeviceHost({
  clock,
  env,
  send,
  onStopped,
  onDeviceEnded = () => undefined,
  onExtended,
}: DeviceHostDependencies): DeviceHost {
  const stopping = new AbortController()
  const alarms = new Alarms(clock)
  const log = relayLog(send)
  let prepared: Prepared | undefined
  /** The options and files of the device are right. */
  let isChecked = false
  let operation: RunningOperation | undefined
  let closing: Promise<void> | undefined
  let last: Promise<void> = Promise.resolve()

  async function prepare(choice: DeviceChoice): Promise<void> {
    const python = { ...choice.python, clock, log, env }
    const device = await resolveDevice({ ...choice, python: { ...python, onEnd: onDeviceEnded } })
    const { optionPairs: pairs, cwd, home, dataDir } = choice
    const options = readOptions({ device, pairs, cwd, home, dataDir, env, log })
    prepared = { version: choice.version, device, options, python }
    send({
      kind: 'prepared',
      device: device.def.name,
      dataDir: options.dataDir,
      jobTimeoutMs: options.jobTimeoutMs,
    })
  }

  async function open(): Promise<void> {
    if (!prepared) throw new StartupError('startup error: no device is prepared')
    const { version, device, options, python } = prepared
    const context = { name: device.def.name, options, log, signal: stopping.signal, clock, python }
    await checkDevice(device, context)
    isChecked = true
    const { jobTimeoutMs } = options
    const { name } = device.def
    const own = device.isBuiltIn ? version : device.def.version
    const versions = { version, deviceVersion: own ? String(own).slice(0, MAX_VERSION_LENGTH) : undefined }
    const io = { clock, alarms, log, signal: stopping.signal, device: name, ...versions, jobTimeoutMs, send }
    const opened = await openOperation(device, context, io)
    await opened.start()
    operation = opened
    send({ kind: 'ready' })
  }

  function onCommand(text: string): void {
    const parsed = v.safeParse(command, parseJson(text))
    if (parsed.success) {
      operation?.onCommand(parsed.output)
      return
    }
    const [issue] = parsed.issues
    const path = v.getDotPath(issue)
    const problem = path === null ? issue.message : `${path}: ${issue.message}`
    if (operation?.onUnreadable) operation.onUnreadable(text, problem)
    else log.warn('invalid command', { problem })
  }

  function extend(seconds: number, reason: string): void {
    const ms = Math.max(0, seconds * 1_000) || 0
    send({ kind: 'closing', ms, reason: String(reason).slice(0, MAX_REASON_LENGTH) })
    onExtended?.(ms)
  }

  async function closeOnce(): Promise<void> {
    stopping.abort(new Error('the driver is stopping'))
    await operation?.stop({ extend }).catch((error: unknown) => log.warn('device failed to close', { error }))
    operation = undefined
    alarms.stop()
  }

  function close(): Promise<void> {
    closing ??= closeOnce()
    return closing
  }

  /** Runs the steps of the start one after the other. */
  function inTurn(step: () => Promise<void>): void {
    last = last.then(step).catch((error: unknown) => {
      if (!(error instanceof StartupError)) log.error('device failed to start', { error })
      const { reasons, mayPass } =
        error instanceof StartupError
          ? error
          : new StartupError(`startup error: ${messageOf(error)}`, { mayPass: true })
      send({ kind: 'refused', reasons: [...reasons], mayPass: isChecked || mayPass })
    })
  }

  return {
    receive(raw) {
      const message: ToHost = v.parse(toHost, raw)
      switch (message.kind) {
        case 'prepare':
          return inTurn(() => prepare(message.choice))
        case 'open':
          return inTurn(open)
        case 'command':
          return onCommand(message.text)
        case 'cancel':
          return operation?.cancel?.(message.result)
        case 'detached':
          return operation?.onDetached?.()
        case 'stop':
          void close().then(onStopped)
      }
    },
    close,
  }
}

/** Creates the device and the operation that runs it. */
async function openOperation(
  device: ResolvedDevice,
  context: Parameters<typeof openDevice>[1],
  io: OperationIo,
): Promise<RunningOperation> {
  if (isOf('process', device)) return runProcess(await openDevice(device, context), io)
  if (isOf('monitor', device)) return runMonitor(await openDevice(device, context), io)
  if (isOf('calibrate', device)) return runCalibrate(await openDevice(device, context), io)
  throw new StartupError(`startup error: unknown operation of device ${device.label}`)
}

function isOf<Op extends ResolvedDevice['def']['operation']>(
  operation: Op,
  device: ResolvedDevice,
): device is ResolvedDevice<Op> {
  return device.def.operation === operation
}

/**
 * If memory runs out, Linux kills this process rather than the driver, which can report it. The driver cannot
 * arrange it: until this process has started its program, its files in /proc belong to root.
 */
function offerToBeKilled(): void {
  try {
    writeFileSync('/proc/self/oom_score_adj', '500')
  } catch {
    // Not Linux, or /proc is read-only.
  }
}

/**
 * Body of `svc driver worker`, the child process that runs the device. It communicates with the driver over
 * its IPC channel and ends when that closes.
 * @throws StartupError when it was not started by a driver.
 */
export function runDeviceHost({ env }: Pick<DeviceHostDependencies, 'env'>): void {
  if (!process.send) throw new StartupError('driver worker is started by the driver; use svc driver start')
  // Ctrl-C in a terminal and SIGTERM of a service manager reach the child too, but the driver decides when it
  // ends.
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => undefined)
  offerToBeKilled()
  const setGrace = endWithParent(PARENT_TIMEOUT_MS)
  let deadline: CloseDeadline | undefined
  /** Settles when the driver has all messages so far: what is still on its way ends with this process. */
  let delivered = Promise.resolve()
  const deliver = (message: FromHost): void => {
    const { promise, resolve } = Promise.withResolvers<void>()
    // The channel is closed when the driver is gone.
    if (process.connected) process.send?.(message, undefined, undefined, () => resolve())
    else resolve()
    delivered = promise
  }
  const host = createDeviceHost({
    clock: systemClock,
    env,
    send: deliver,
    onStopped: () => void delivered.then(() => process.exit(0)),
    onDeviceEnded(how) {
      deliver({ kind: 'ending', how })
      void delivered.then(() => process.exit(1))
    },
    onExtended(ms) {
      deadline ??= new CloseDeadline(systemClock)
      deadline.extend(ms)
      setGrace(deadline.totalMs + PARENT_GRACE_MS)
    },
  })
  process.on('message', (raw) => host.receive(raw))
  process.on('disconnect', () => {
    deadline ??= new CloseDeadline(systemClock)
    void deadline.wait(host.close()).then(() => process.exit(0))
  })
}
