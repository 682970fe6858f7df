import * as v from 'valibot'
import { type Clock, endWithParent, messageOf, systemClock, withTimeout } from '../../base/index.ts'
import {
  checkDevice,
  type DeviceOptions,
  openDevice,
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
import { relayLog } from './host-log.ts'

/** Time for the device to close after the connection to the driver's process is lost. */
const CLOSE_TIMEOUT_MS = 2_000
/** Time after the exit of the driver in which a device that responds closes by itself. */
const PARENT_GRACE_MS = 2_500

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
}

interface Prepared {
  device: ResolvedDevice
  options: DeviceOptions
}

/** The child side of the driver: finds, opens and runs the device on command of the driver. */
export function createDeviceHost({ clock, env, send, onStopped }: DeviceHostDependencies): DeviceHost {
  const stopping = new AbortController()
  const log = relayLog(send)
  let prepared: Prepared | undefined
  let operation: RunningOperation | undefined
  let last: Promise<void> = Promise.resolve()

  async function prepare(choice: DeviceChoice): Promise<void> {
    const device = await resolveDevice(choice)
    const { optionPairs: pairs, cwd, home, dataDir } = choice
    const options = readOptions({ device, pairs, cwd, home, dataDir, env, log })
    prepared = { device, options }
    send({
      kind: 'prepared',
      device: device.def.name,
      dataDir: options.dataDir,
      jobTimeoutMs: options.jobTimeoutMs,
    })
  }

  async function open(): Promise<void> {
    if (!prepared) throw new StartupError('startup error: no device is prepared')
    const { device, options } = prepared
    const context = { name: device.def.name, options, log, signal: stopping.signal, clock }
    await checkDevice(device, context)
    const io = { clock, log, signal: stopping.signal, jobTimeoutMs: options.jobTimeoutMs, send }
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

  async function close(): Promise<void> {
    stopping.abort(new Error('the driver is stopping'))
    await operation?.stop().catch((error: unknown) => log.warn('device failed to close', { error }))
    operation = undefined
  }

  /** Runs the steps of the start one after the other. */
  function inTurn(step: () => Promise<void>): void {
    last = last.then(step).catch((error: unknown) => {
      if (!(error instanceof StartupError)) log.error('device failed to start', { error })
      const reasons =
        error instanceof StartupError ? [...error.reasons] : [`startup error: ${messageOf(error)}`]
      send({ kind: 'refused', reasons })
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
 * Body of `svc driver worker`, the child process that runs the device. It communicates with the driver over
 * its IPC channel and ends when that closes.
 * @throws StartupError when it was not started by a driver.
 */
export function runDeviceHost({ env }: Pick<DeviceHostDependencies, 'env'>): void {
  if (!process.send) throw new StartupError('driver worker is started by the driver; use svc driver start')
  // Ctrl-C in a terminal and SIGTERM of a service manager reach the child too, but the driver decides when it
  // ends.
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => undefined)
  endWithParent(PARENT_GRACE_MS)
  const host = createDeviceHost({
    clock: systemClock,
    env,
    send: (message) => void process.send?.(message),
    onStopped: () => process.exit(0),
  })
  process.on('message', (raw) => host.receive(raw))
  process.on('disconnect', () => {
    const exit = () => process.exit(0)
    void withTimeout(host.close(), {
      clock: systemClock,
      ms: CLOSE_TIMEOUT_MS,
      onTimeout: () => undefined,
    }).then(exit, exit)
  })
}
