import { hostname } from 'node:os'
import { join, resolve } from 'node:path'
import {
  Alarms,
  type Clock,
  type FolderLock,
  type Log,
  makeFolderPrivate,
  makePrivate,
  newId,
  withTimeout,
} from '../base/index.ts'
import { StartupError } from '../devices/index.ts'
import { EVENTS, type EventPayload } from '../protocol/index.ts'
import { isExposed } from './connection/connect.ts'
import { EventQueue } from './connection/event-queue.ts'
import { Orphaned } from './connection/orphaned.ts'
import { Outbox } from './connection/outbox.ts'
import { ServerConnection } from './connection/server-connection.ts'
import { ownHostArgv } from './device-process/child.ts'
import { type Prepared, Supervisor } from './device-process/supervisor.ts'
import { lockFolder, makeDataDir } from './lock.ts'
import { type CommandHead, readCommandHead } from './messages/command-head.ts'
import { writeEvent } from './messages/write-event.ts'
import { checkAccess, type DriverSettings, type ServerAccess, STANDARD_INPUT } from './settings.ts'
import { calibrationTask } from './tasks/calibration-task.ts'
import { jobTask } from './tasks/job-task.ts'
import { OwnRun } from './tasks/own-run.ts'
import type { Task } from './tasks/task.ts'
import { TaskCoordinator } from './tasks/task-coordinator.ts'

/** What the program provides to the driver. */
export interface DriverDependencies {
  clock: Clock
  log: Log
  /** Version of this program. */
  version: string
  /** Base folder of relative paths. */
  cwd: string
  /** Home folder of the user. */
  home: string
  /** Folder of the program as it was started, whose Python comes before that of the PATH. */
  programFolder?: string
  /** Environment of the program; the device process receives it without secrets. */
  env: Record<string, string | undefined>
  /** Command line of the device process; by default this program with `driver worker`. */
  hostArgv?: string[]
}

/** A running driver. */
export interface DriverHandle {
  /** Settles at the first attach to the server. */
  readonly connected: Promise<void>
  /** Settles when the driver has stopped; rejects with the reason when it cannot continue. */
  readonly finished: Promise<void>
  /** Waits up to 5 s for the running task, sends its final event, closes the device and disconnects. */
  stop(): Promise<void>
}

const TASK_GRACE_MS = 5_000
const ACK_TIMEOUT_MS = 2_000
const ACK_POLL_MS = 20
/**
 * Maximum number of outbox events in the hello. The server waits only for the newest, and the hello has to
 * fit into one event.
 */
const MAX_HELLO_EVENTS = 1_000

/**
 * Starts a driver: checks every setting and option, opens the device in its own process, and only then
 * connects to the server. Returns as soon as the device is open; the driver then retries until the server is
 * available.
 * @throws StartupError with every reason not to start, one per line; nothing has been sent to the server.
 * @throws AppError when the data dir is in use or cannot be written.
 */
export async function startDriver(
  settings: DriverSettings,
  dependencies: DriverDependencies,
): Promise<DriverHandle> {
  const { clock, log, cwd, home, env, version } = dependencies
  const access = checkAccess(settings, { cwd, home })
  const isDeviceGiven = !settings.problems.some(({ name }) => name === 'operation' || name === 'device')
  if (!isDeviceGiven) throw new StartupError(access.reasons)
  const { operation, device, option: optionPairs, dataDir, python: given } = settings.values
  const python = { given, beside: dependencies.programFolder ?? '' }
  const alarms = new Alarms(clock)
  const queue = new EventQueue(log)
  const description: Description = { body: undefined }
  let outbox: Outbox | undefined
  let connection: ServerConnection | undefined
  const store = (id: string, body: string) => void outbox?.put(id, body).then(() => connection?.wake())
  const ownRun = new OwnRun({
    clock,
    log,
    send(type, payload) {
      queue.add({ body: writeEvent(clock, type, newId(clock.now()), payload), droppable: false })
      connection?.wake()
    },
    report: store,
  })
  const supervisor = new Supervisor({
    command: { argv: dependencies.hostArgv ?? ownHostArgv(), env },
    choice: { operation, device, optionPairs: [...optionPairs], dataDir, cwd, home, python, version },
    clock,
    alarms,
    log,
    onEvent({ type, id, body }) {
      const declared = EVENTS.find((each) => each.type === type)
      if (type === 'DeviceDescription') description.body = body
      if (type === 'CalibrationReport') ownRun.reported(id)
      if (declared?.acknowledged && outbox) store(id, body)
      else if (type !== 'DeviceDescription' || connection?.isAttached)
        queue.add({ body, droppable: declared?.limited ?? true })
      connection?.wake()
    },
    onOwnRun: (...run) => ownRun.begin(...run),
    onHostEnded: (how) => ownRun.hostEnded(how),
  })
  let lock: FolderLock | undefined
  try {
    const prepared = await prepare(supervisor, access.reasons)
    await makeDataDir(prepared.dataDir)
    makeDataPrivate(prepared.dataDir, log)
    const { tokenFile } = settings.values
    if (tokenFile && tokenFile !== STANDARD_INPUT) makePrivate(resolve(cwd, tokenFile), log)
    lock = lockFolder(prepared.dataDir)
    outbox = await Outbox.open(join(prepared.dataDir, 'outbox'), { clock, log })
    const orphaned = await Orphaned.open(join(prepared.dataDir, 'orphaned'), { clock, log })
    await supervisor.open()
    for (const address of access.addresses.filter(isExposed)) {
      log.warn('the access token is sent over plain HTTP; use an https address', { address })
    }
    const driver = assemble(settings, dependencies, {
      access,
      alarms,
      prepared,
      supervisor,
      outbox,
      orphaned,
      queue,
      description,
      ownRun,
    })
    connection = driver.connection
    return runUntilStopped(driver, { supervisor, outbox, lock, clock, alarms })
  } catch (error) {
    await supervisor.stop()
    await outbox?.close()
    lock?.release()
    throw error
  }
}

/** Prepares the device, and reports errors of its options together with `reasons`. */
async function prepare(supervisor: Supervisor, reasons: readonly string[]): Promise<Prepared> {
  const prepared = await supervisor.prepare().catch((error: unknown) => {
    if (!(error instanceof StartupError) || reasons.length === 0) throw error
    throw new StartupError([...error.reasons, ...reasons])
  })
  if (reasons.length > 0) throw new StartupError(reasons)
  return prepared
}

/** Results contain what users compute; devices own the other entries. */
function makeDataPrivate(path: string, log: Log): void {
  makeFolderPrivate(path, log, (name) => name === 'outbox' || name === 'driver.lock')
  makeFolderPrivate(join(path, 'outbox'), log, () => true)
}

interface Components {
  access: ServerAccess
  alarms: Alarms
  prepared: Prepared
  supervisor: Supervisor
  outbox: Outbox
  orphaned: Orphaned
  queue: EventQueue
  description: Description
  ownRun: OwnRun
}

/** The last description of the device, as an encoded event. */
interface Description {
  body: string | undefined
}

interface Assembled {
  connection: ServerConnection
  coordinator: TaskCoordinator
}

/** Connects the components: commands to coordinator, outbox and device; events to the server. */
function assemble(
  settings: DriverSettings,
  { clock, log, version }: DriverDependencies,
  { access, alarms, prepared, supervisor, outbox, orphaned, queue, description, ownRun }: Components,
): Assembled {
  const { operation } = settings.values
  const { device, jobTimeoutMs } = prepared
  const coordinator = new TaskCoordinator({
    clock,
    alarms,
    log,
    outbox,
    run: (task, observer) => supervisor.run(task, observer),
    stopTask: (id) => supervisor.stopTask(id),
    sendNow: (body) => connection.sendNow(body),
    wake: () => connection.wake(),
  })

  /** The task of a command; undefined when it does not belong to the driver's operation. */
  function taskOf(head: CommandHead, text: string): Task | undefined {
    if (head.kind === 'job' && operation === 'process') return jobTask(head, text, { clock, jobTimeoutMs })
    if (head.kind === 'calibration' && operation === 'calibrate') {
      return calibrationTask(head, text, { clock })
    }
    return undefined
  }

  function onCommand(text: string): void {
    const head = readCommandHead(text)
    const task = head && taskOf(head, text)
    if (task) {
      void coordinator.receive(task)
      return
    }
    switch (head?.kind) {
      case 'ack':
        void outbox.acknowledge(head.event, head.reason === 'unknown_job' ? orphaned : undefined)
        if (!head.applied && head.reason === undefined)
          log.info('the server discarded an event as obsolete', { event: head.event })
        return
      case 'stop':
        coordinator.stop(head.id)
        return
      case 'other':
        supervisor.forwardCommand(text, head.type === 'SetMaintenance')
        return
      default:
        log.warn('invalid command', { type: head?.kind ?? 'none' })
    }
  }

  const connection = new ServerConnection({
    server: access,
    operation,
    device,
    host: hostname(),
    version,
    clock,
    log,
    outbox,
    queue,
    greeting(epoch) {
      const payload: EventPayload<'DriverHello'> = {
        version,
        device,
        epoch,
        ...coordinator.hello,
        ...ownRun.hello,
        describes: description.body !== undefined,
        outbox: outbox.ids().slice(-MAX_HELLO_EVENTS),
      }
      const hello = writeEvent(clock, 'DriverHello', newId(clock.now()), payload)
      return description.body === undefined ? [hello] : [hello, description.body]
    },
    onLease: (lease) => coordinator.beginLease(lease.epoch),
    onCommand,
    onDetached: () => supervisor.detached(),
  })
  return { connection, coordinator }
}

interface Closables {
  supervisor: Supervisor
  outbox: Outbox
  lock: FolderLock
  clock: Clock
  alarms: Alarms
}

/** Runs the assembled driver until it is stopped or cannot continue. */
function runUntilStopped(
  { connection, coordinator }: Assembled,
  { supervisor, outbox, lock, clock, alarms }: Closables,
): DriverHandle {
  async function waitForAcknowledgements(): Promise<void> {
    const until = clock.monotonic() + ACK_TIMEOUT_MS
    while (outbox.size > 0 && connection.isAttached && clock.monotonic() < until)
      await clock.sleep(ACK_POLL_MS)
  }

  async function close(): Promise<void> {
    await withTimeout(coordinator.close(), { clock, ms: TASK_GRACE_MS, onTimeout: () => undefined })
    await waitForAcknowledgements()
    const before = outbox.size
    await supervisor.stop()
    await coordinator.idle
    await outbox.flushed()
    // A tuner reports the run that the stop has ended, which lets the jobs of its QPU continue.
    if (outbox.size > before) await waitForAcknowledgements()
    await connection.close()
    await outbox.close()
    alarms.stop()
    lock.release()
  }

  let closing: Promise<void> | undefined
  const stop = () => {
    closing ??= close()
    return closing
  }
  async function run(): Promise<void> {
    try {
      await connection.run()
    } finally {
      // Even if the driver cannot continue, the final event of the running task has to reach the outbox.
      await stop()
    }
  }
  const finished = run()
  finished.catch(() => undefined)
  return { connected: connection.connected, finished, stop }
}
