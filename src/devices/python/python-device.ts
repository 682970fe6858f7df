import * as v from 'valibot'
import {
  type CalibrationFindings,
  type CalibrationStep,
  type CircuitResult,
  type DeviceDescription,
  deviceDescription,
  type JobResults,
  type Operation,
} from '../../protocol/index.ts'
import type {
  CalibrateDevice,
  DeviceContext,
  DeviceOf,
  MonitorDevice,
  ProcessDevice,
  StopIo,
  TunerIo,
} from '../define-device.ts'
import { CalibrationError, JobError, StartupError } from '../errors.ts'
import type { FromWorker } from '../python-worker/messages.ts'
import type { PythonWorker } from '../python-worker/python-worker.ts'
import { readPrograms } from './read-programs.ts'

const OPEN_TIMEOUT_MS = 120_000

/** What a class in Python says about itself, as far as the forwarding needs it. */
interface ForwardOptions {
  /** Whether programs are parsed here. */
  bind: boolean
  /** Whether the device takes gates that it does not describe. */
  compiles: boolean
  describes: boolean
}

type TaskReport = FromWorker<'job_progress' | 'phase' | 'progress' | 'results'>
type TaskMessage = FromWorker<'done' | 'failed'> | TaskReport

/** Forwards the calls of an operation to the worker and its messages to the operation. */
class Forwarder {
  readonly worker: PythonWorker
  readonly #context: DeviceContext
  readonly #tasks = new Map<string, (message: TaskMessage) => void>()
  #lastTask = 0
  #stopIo: StopIo | undefined
  /** Settles when the worker has closed its device. */
  readonly #stopped = Promise.withResolvers<void>()
  description: unknown
  /** Settles with the description that follows the end of a task. */
  #described: PromiseWithResolvers<void> | undefined
  emit: ((type: string, payload: Record<string, unknown>) => void) | undefined
  calibrateNow: TunerIo['calibrateNow'] | undefined

  constructor(worker: PythonWorker, context: DeviceContext) {
    this.worker = worker
    this.#context = context
    worker.onMessage((message) => this.#receive(message))
  }

  /** Creates and starts the device. */
  async open(): Promise<void> {
    const { options, raw, environment, dataDir, name } = this.#context
    const open = { m: 'open', options, raw, environment, data_dir: dataDir, driver: name, log_level: 'info' }
    const answer = await this.worker.ask(open, {
      answers: ['ready', 'refused'],
      timeoutMs: OPEN_TIMEOUT_MS,
      what: 'start the device',
    })
    if (answer.m === 'refused') {
      this.worker.kill()
      throw new StartupError(answer.reasons)
    }
    this.worker.markOpen()
  }

  /**
   * Sends the message of a task and settles with its end. An abort cancels the task, which then ends as the
   * device ends it.
   */
  run(
    signal: AbortSignal,
    messageOf: (task: string) => { m: string },
    onMessage: (message: TaskReport) => void,
  ): Promise<FromWorker<'done' | 'failed'>> {
    this.#lastTask += 1
    const task = String(this.#lastTask)
    const end = Promise.withResolvers<FromWorker<'done' | 'failed'>>()
    const cancel = () => this.worker.send({ m: 'cancel', task })
    this.#tasks.set(task, (message) => {
      if (message.m !== 'done' && message.m !== 'failed') {
        onMessage(message)
        return
      }
      this.#tasks.delete(task)
      signal.removeEventListener('abort', cancel)
      end.resolve(message)
    })
    this.worker.send(messageOf(task))
    if (signal.aborted) cancel()
    else signal.addEventListener('abort', cancel, { once: true })
    return end.promise
  }

  async describe(): Promise<unknown> {
    await this.#described?.promise
    return this.description
  }

  /** Closes the device; the process ends with this one. */
  async stop(io: StopIo): Promise<void> {
    this.#stopIo = io
    this.worker.send({ m: 'stop' })
    await this.#stopped.promise
  }

  #receive(message: FromWorker): void {
    switch (message.m) {
      case 'done':
      case 'failed':
        if (message.describes) this.#described ??= Promise.withResolvers()
        this.#tasks.get(message.task)?.(message)
        return
      case 'job_progress':
      case 'phase':
      case 'progress':
      case 'results':
        this.#tasks.get(message.task)?.(message)
        return
      case 'event':
        this.emit?.(message.type, message.payload)
        return
      case 'description':
        this.description = message.description ?? this.description
        this.#described?.resolve()
        this.#described = undefined
        return
      case 'extend':
        this.#stopIo?.extend(message.seconds, message.reason)
        return
      case 'stopped':
        this.#stopped.resolve()
        return
      case 'calibrate_now':
        void this.#calibrateNow(message)
        return
      default:
        // A message that nothing waits for, such as a second `hello`.
        return
    }
  }

  async #calibrateNow({ call, mode, target_qubits: targetQubits }: FromWorker<'calibrate_now'>) {
    const findings = await this.calibrateNow?.({ mode, targetQubits })
    this.worker.send({ m: 'calibrated', call, findings: findings ?? null })
  }
}

function jobErrorOf({ error }: FromWorker<'failed'>): JobError {
  const {
    class: class_,
    message,
    error_code: errorCode,
    circuit_index: circuitIndex,
    detail,
    executed,
  } = error
  return new JobError(message, {
    class: class_,
    executed,
    ...(errorCode !== undefined && { errorCode }),
    ...(circuitIndex !== undefined && { circuitIndex }),
    ...(detail !== undefined && { detail }),
  })
}

function forwardProcess(
  worker: PythonWorker,
  context: DeviceContext,
  { bind, compiles, describes }: ForwardOptions,
): ProcessDevice {
  const forward = new Forwarder(worker, context)
  return {
    start: () => forward.open(),
    async run(job, io): Promise<JobResults> {
      const { gates, dt_s: dt } = partsOf(forward.description)
      const described = { gates: compiles ? undefined : gates, dt }
      const programs = bind ? readPrograms(job.payload, described) : null
      const leftMs = io.deadline - context.clock.monotonic()
      const deadline_ms = Number.isFinite(leftMs) ? Math.max(0, leftMs) : null
      const end = await forward.run(
        io.signal,
        (task) => ({ m: 'run', task, job, programs, deadline_ms }),
        (message) => {
          if (message.m === 'phase') io.phase(message.phase)
          if (message.m === 'job_progress') io.progress?.(message.progress)
          if (message.m !== 'results') return
          // The operation checks them.
          for (const { index, result } of message.results) io.result?.(index, result as CircuitResult)
        },
      )
      if (end.m === 'failed') throw jobErrorOf(end)
      // The operation checks them.
      return end.results as JobResults
    },
    // The sender of descriptions checks them.
    ...(describes && { describe: async () => (await forward.describe()) as DeviceDescription }),
    stop: (io) => forward.stop(io),
  }
}

/** The `dt_s` of a valid description and the names of its gates; without names, all gates run. */
function partsOf(description: unknown) {
  const { success, output } = v.safeParse(deviceDescription, description)
  const { gates, dt_s } = success ? output : {}
  return { gates: gates && new Set(gates.map(({ name }) => name)), dt_s }
}

function forwardMonitor(worker: PythonWorker, context: DeviceContext): MonitorDevice {
  const forward = new Forwarder(worker, context)
  return {
    start(io) {
      forward.emit = io.emit
      return forward.open()
    },
    stop: (io) => forward.stop(io),
  }
}

function forwardCalibrate(worker: PythonWorker, context: DeviceContext): CalibrateDevice {
  const forward = new Forwarder(worker, context)
  return {
    start(io) {
      forward.emit = io.emit
      forward.calibrateNow = io.calibrateNow
      return forward.open()
    },
    async calibrate({ runId, id, mode, targetQubits }, io): Promise<CalibrationFindings> {
      const request = { run_id: runId, id, mode, target_qubits: targetQubits }
      const end = await forward.run(
        io.signal,
        (task) => ({ m: 'calibrate', task, request }),
        (message) => {
          // The operation checks it.
          if (message.m === 'progress') io.progress(message.step as unknown as CalibrationStep)
        },
      )
      if (end.m === 'failed') throw new CalibrationError(end.error.message)
      // The operation checks them.
      return end.findings as CalibrationFindings
    },
    maintenance: (on) => worker.send({ m: 'maintenance', on }),
    stop: (io) => forward.stop(io),
  }
}

/** Creates the device of one operation on a worker that has described it. */
export const FORWARD: {
  [Op in Operation]: (worker: PythonWorker, context: DeviceContext, options: ForwardOptions) => DeviceOf[Op]
} = { process: forwardProcess, monitor: forwardMonitor, calibrate: forwardCalibrate }
