import { type Alarms, Backoff, type Clock, type Log, messageOf, withTimeout } from '../../base/index.ts'
import { StartupError } from '../../devices/index.ts'
import type { CalibrationMode } from '../../protocol/index.ts'
import type { DeviceChoice, FromHost, ToHost } from '../messages/host-messages.ts'
import type { Task, TaskObserver } from '../tasks/task.ts'
import { type HostCommand, HostProcess } from './child.ts'
import { CloseDeadline } from './close-deadline.ts'
import { endOfStopped, TaskRun } from './task-run.ts'

interface SupervisorDependencies {
  command: HostCommand
  choice: DeviceChoice
  clock: Clock
  alarms: Alarms
  log: Log
  /** An encoded event of the device. */
  onEvent(event: { type: string; id: string; body: string }): void
  /** The tuner has started a calibration on its own. */
  onOwnRun(run: string, mode: CalibrationMode, waits: boolean): void
  /** The device process has ended; `how` names the signal or exit code. */
  onHostEnded(how: string): void
}

type HostResponse = Extract<FromHost, { kind: 'prepared' | 'ready' | 'refused' }>

/** The device and its options, as read by the device process. */
export type Prepared = Extract<HostResponse, { kind: 'prepared' }>

const OPEN_TIMEOUT_MS = 120_000
const HEALTHY_AFTER_MS = 60_000
const CRASH_PAUSE_MS = 500

/**
 * Runs tasks in a child process that contains the device, and restarts the process when it exits.
 *
 * | State | Leaves it by | Next |
 * |---|---|---|
 * | prepared, opening (first start) | `ready`; `refused`, exit or 120 s | ready; `prepare` or `open` throws |
 * | ready | exit | restarting after 0.5, 1, 2, … 30 s (0.5 s again after 60 s without an exit) |
 * | ready | exit while a task ran | restarting after 0.5 s, so that the next task does not wait longer |
 * | ready | killed because a task timed out or was stopped | restarting immediately |
 * | restarting: tasks wait | `ready`; `refused`, exit or 120 s | ready; broken |
 * | broken: tasks fail with the reason | the next restart | ready or broken |
 */
export class Supervisor {
  readonly #dependencies: SupervisorDependencies
  readonly #log: Log
  readonly #backoff = new Backoff({ initialMs: CRASH_PAUSE_MS, maxMs: 30_000 }, () => 1)
  readonly #stopping = new AbortController()
  #host: HostProcess | undefined
  #pendingResponse: PromiseWithResolvers<HostResponse> | undefined
  /** Settles when the current process has ended. */
  #exited: PromiseWithResolvers<string> = Promise.withResolvers()
  /** Settles when tasks can be run or failed. */
  #usable: PromiseWithResolvers<void> = Promise.withResolvers()
  #ready = false
  #broken: string | undefined
  #openedAt = 0
  #run: TaskRun | undefined
  /** Id of the task that was stopped while it waited for the device. */
  #stopped: string | undefined
  /** A pause in ms in the place of the back-off. */
  #pauseMs: number | undefined
  #maintenance: string | undefined
  #closing: CloseDeadline | undefined
  /** How the process of a device in Python has ended, which ends the process that runs it. */
  #deviceEnd: string | undefined

  constructor(dependencies: SupervisorDependencies) {
    this.#dependencies = dependencies
    this.#log = dependencies.log.child('device')
  }

  /**
   * Starts the process, which finds the device and reads its options; nothing is opened yet.
   * @throws StartupError with every reason why this device cannot be used.
   */
  async prepare(): Promise<Prepared> {
    this.#spawn()
    return this.#prepare()
  }

  /**
   * Opens the prepared device and keeps it running until `stop`.
   * @throws StartupError with the reason of the device's own check or start.
   */
  async open(): Promise<void> {
    await this.#request({ kind: 'open' })
    this.#becomeReady()
    void this.#keepAlive()
  }

  /**
   * Forwards a server command unchanged. A restarted device receives the latest maintenance command again.
   */
  forwardCommand(text: string, isMaintenance: boolean): void {
    if (isMaintenance) this.#maintenance = text
    this.#host?.send({ kind: 'command', text })
  }

  /** The server is no longer connected; it sends the state of maintenance after the next attach. */
  detached(): void {
    this.#maintenance = undefined
    this.#host?.send({ kind: 'detached' })
  }

  /**
   * Runs a task on the device; one at a time. Settles with the encoded event that ends it, whatever happens
   * to the device; with undefined only after `stopTask` or `stop`.
   */
  async run(task: Task, observer: TaskObserver): Promise<string | undefined> {
    this.#stopped = undefined
    while (!this.#ready || !this.#host) {
      if (this.#stopping.signal.aborted) return undefined
      if (this.#stopped === task.id) return endOfStopped(task, 0)
      if (this.#broken !== undefined) return deviceUnavailable(task, this.#broken)
      await this.#usable.promise
    }
    const { clock, alarms } = this.#dependencies
    const run = new TaskRun(task, { host: this.#host, clock, alarms, log: this.#log, ...observer })
    this.#run = run
    const body = await run.settled
    this.#run = undefined
    return body
  }

  /** Stops the task whose final event has the id `id`, if it runs or waits for the device. */
  stopTask(id: string): void {
    if (this.#run) {
      if (this.#run.id === id) this.#run.stop()
      return
    }
    this.#stopped = id
    const usable = this.#usable
    this.#usable = Promise.withResolvers()
    usable.resolve()
  }

  /**
   * Closes the device within 2 s, or the time that it asks for, then kills its process. A running task is
   * reported only if it is when it is stopped.
   */
  async stop(): Promise<void> {
    this.#stopping.abort()
    this.#usable.resolve()
    this.#run?.endWithDevice()
    const host = this.#host
    if (!host) return
    const gone = this.#exited.promise
    this.#closing = new CloseDeadline(this.#dependencies.clock)
    host.send({ kind: 'stop' })
    if (!(await this.#closing.wait(gone))) this.#log.warn('device did not close in time and is killed')
    host.kill()
    await gone
  }

  #spawn(): void {
    this.#exited = Promise.withResolvers()
    this.#deviceEnd = undefined
    try {
      this.#host = new HostProcess(this.#dependencies.command, {
        log: this.#log,
        onMessage: (message) => this.#receive(message),
        onExit: (how) => this.#hostEnded(this.#deviceEnd ?? how),
      })
    } catch (cause) {
      this.#exited.resolve('not started')
      throw new StartupError(`startup error: device process cannot be started: ${messageOf(cause)}`, {
        mayPass: true,
      })
    }
  }

  async #prepare(): Promise<Prepared> {
    const prepared = await this.#request({ kind: 'prepare', choice: this.#dependencies.choice })
    if (prepared.kind !== 'prepared')
      throw new StartupError('startup error: device process sent an unexpected response')
    return prepared
  }

  /** Sends `message` and waits for the response; ends the process after a refusal. */
  async #request(message: ToHost): Promise<HostResponse> {
    const pending = Promise.withResolvers<HostResponse>()
    this.#pendingResponse = pending
    this.#host?.send(message)
    const reply = await withTimeout(pending.promise, {
      clock: this.#dependencies.clock,
      ms: OPEN_TIMEOUT_MS,
      onTimeout: () => refusal(`device did not start within ${OPEN_TIMEOUT_MS / 1_000} s`),
    })
    this.#pendingResponse = undefined
    if (reply.kind !== 'refused') return reply
    this.#host?.kill()
    throw new StartupError(reply.reasons, reply)
  }

  #refuse(reason: string): void {
    this.#pendingResponse?.resolve(refusal(reason))
  }

  #receive(message: FromHost): void {
    switch (message.kind) {
      case 'prepared':
      case 'ready':
      case 'refused':
        this.#pendingResponse?.resolve(message)
        return
      case 'started':
      case 'phase':
      case 'result':
        this.#run?.receive(message)
        return
      case 'event':
        this.#dependencies.onEvent(message)
        return
      case 'own_run':
        this.#dependencies.onOwnRun(message.run, message.mode, message.waits)
        return
      case 'closing':
        this.#extendClose(message)
        return
      case 'ending':
        this.#deviceEnd = message.how
        return
      case 'log':
        this.#log[message.level](message.message, message.fields)
    }
  }

  #extendClose({ ms, reason }: Extract<FromHost, { kind: 'closing' }>): void {
    if (!this.#closing) return
    this.#closing.extend(ms)
    this.#log.info('device needs longer to close', { reason, limitMs: Math.round(this.#closing.totalMs) })
  }

  #hostEnded(how: string): void {
    this.#host = undefined
    if (this.#ready && !this.#stopping.signal.aborted) this.#usable = Promise.withResolvers()
    this.#ready = false
    this.#refuse(`device process exited (${how})`)
    this.#pauseMs = this.#run && (this.#run.isCancelled ? 0 : CRASH_PAUSE_MS)
    this.#run?.hostEnded(how)
    this.#dependencies.onHostEnded(how)
    this.#exited.resolve(how)
  }

  async #keepAlive(): Promise<void> {
    const { clock } = this.#dependencies
    for (;;) {
      const how = await this.#exited.promise
      if (this.#stopping.signal.aborted) return
      if (clock.monotonic() - this.#openedAt >= HEALTHY_AFTER_MS) this.#backoff.reset()
      const pauseMs = this.#pauseMs ?? this.#backoff.next()
      this.#log.warn('device process ended and is restarted', { how, pauseMs })
      if (pauseMs > 0) await clock.sleep(pauseMs, this.#stopping.signal).catch(() => undefined)
      if (this.#stopping.signal.aborted) return
      await this.#reopen()
    }
  }

  async #reopen(): Promise<void> {
    try {
      this.#spawn()
      await this.#prepare()
      await this.#request({ kind: 'open' })
      this.#becomeReady()
      this.#log.info('device restarted')
      if (this.#maintenance !== undefined) this.#host?.send({ kind: 'command', text: this.#maintenance })
    } catch (error) {
      this.#broken = messageOf(error).replace(/^startup error: /, '')
      this.#log.error('device failed to start', { error: this.#broken })
      this.#usable.resolve()
    }
  }

  #becomeReady(): void {
    this.#broken = undefined
    this.#ready = true
    this.#openedAt = this.#dependencies.clock.monotonic()
    this.#usable.resolve()
  }
}

function refusal(reason: string): HostResponse {
  return { kind: 'refused', reasons: [`startup error: ${reason}`], mayPass: true }
}

function deviceUnavailable(task: Task, reason: string): string {
  const message = `device failed to start: ${reason}`.slice(0, 4_000)
  return task.failure({ class: 'device', message, error_code: 'device_unavailable' }, 0)
}
