import { messageOf } from '../../../base/index.ts'
import type { PythonPlace } from '../../define-device.ts'
import { CalibrationError } from '../../errors.ts'
import type { Message } from '../../python-worker/frames.ts'
import { findPython } from '../../python-worker/interpreter.ts'
import type { FromWorker } from '../../python-worker/messages.ts'
import { PythonWorker } from '../../python-worker/python-worker.ts'
import { RoutineError } from '../routine.ts'

const IMPORT_TIMEOUT_MS = 120_000

/** What a measurement sends next. */
export type FromMeasurement = FromWorker<'request' | 'found' | 'checked' | 'unmeasured'>

interface Waiting {
  readonly call: number
  readonly reply: PromiseWithResolvers<FromMeasurement>
}

/**
 * The process that runs the routines in Python of one run. One that crashes, or is killed because it takes
 * too long, fails the measurement that it was working on, and is replaced for the next one.
 */
export class RoutineProcess {
  readonly #paths: readonly string[]
  readonly #folder: string
  readonly #place: PythonPlace
  #worker: PythonWorker | undefined
  /** The next one, which imports the routines. */
  #starting: PythonWorker | undefined
  #restarting: Promise<void> | undefined
  #waiting: Waiting | undefined
  /** Measurements that have begun in the present process. */
  readonly #begun = new Set<number>()
  #lastCall = 0

  /** @param folder where modules are looked for first */
  constructor(paths: readonly string[], folder: string, place: PythonPlace) {
    this.#paths = paths
    this.#folder = folder
    this.#place = place
  }

  /**
   * Starts the process, which imports the routines, and returns what they declare.
   * @throws CalibrationError when there is no Python, or a routine cannot be imported.
   */
  async start(): Promise<FromWorker<'routines'>> {
    try {
      return await this.#start()
    } catch (error) {
      throw new CalibrationError(`routines in Python cannot be used: ${messageOf(error)}`)
    }
  }

  /** A number for a new measurement. */
  newCall(): number {
    this.#lastCall += 1
    return this.#lastCall
  }

  /**
   * Sends a message of a measurement and waits for its next one; an abort of the signal kills the process.
   * @throws RoutineError `crashed` when the process ends meanwhile, and `interrupted` when the measurement
   *   was lost with it before.
   */
  async exchange(call: number, message: Message, signal: AbortSignal): Promise<FromMeasurement> {
    signal.throwIfAborted()
    if (message.m === 'measure') {
      if (!this.#worker) await this.#restart()
      // Its time may have ended meanwhile, and the next measurement waits for the same process.
      signal.throwIfAborted()
      this.#begun.add(call)
    } else if (!this.#begun.has(call)) {
      throw new RoutineError('interrupted', 'another measurement has ended the process of routines in Python')
    }
    const reply = Promise.withResolvers<FromMeasurement>()
    this.#waiting = { call, reply }
    const abort = () => {
      this.close()
      reply.reject(signal.reason)
    }
    signal.addEventListener('abort', abort, { once: true })
    try {
      this.#worker?.send(message)
      return await reply.promise
    } finally {
      signal.removeEventListener('abort', abort)
      this.#waiting = undefined
    }
  }

  /** Ends a measurement that nobody waits for. */
  abandon(call: number): void {
    if (this.#begun.delete(call)) this.#worker?.send({ m: 'abandon', call })
  }

  /** Kills the process, also one that is starting. */
  close(): void {
    this.#starting?.kill()
    this.#worker?.kill()
    this.#forget()
  }

  /** Measurements that find no process wait for one and the same. */
  #restart(): Promise<void> {
    this.#restarting ??= this.#startAgain().finally(() => {
      this.#restarting = undefined
    })
    return this.#restarting
  }

  async #startAgain(): Promise<void> {
    try {
      await this.#start()
    } catch (error) {
      throw new RoutineError(
        'crashed',
        `the process of routines in Python does not start: ${messageOf(error)}`,
      )
    }
  }

  async #start(): Promise<FromWorker<'routines'>> {
    const { given, beside, env, clock, log } = this.#place
    const cwd = this.#folder
    const interpreter = findPython({ given, beside, cwd, path: env['PATH'] ?? '' })
    if (interpreter === undefined) throw new Error('there is no python3 on the PATH; name one with --python')
    const worker = new PythonWorker(interpreter, {
      clock,
      log,
      env,
      cwd,
      onEnd: (how) => this.#hasEnded(how),
    })
    this.#starting = worker
    try {
      const described = await this.#importInto(worker)
      worker.onMessage((message) => this.#receive(message))
      worker.markOpen()
      this.#worker = worker
      return described
    } finally {
      this.#starting = undefined
    }
  }

  async #importInto(worker: PythonWorker): Promise<FromWorker<'routines'>> {
    const hello = await worker.negotiate()
    if (!hello.routines) {
      worker.kill()
      throw new Error(
        `svc-driver ${hello.sdk} has no routines; update it with pip install -U ./drivers/python in a checkout of svc`,
      )
    }
    const answer = await worker.ask(
      { m: 'routines', paths: this.#paths },
      { answers: ['routines', 'refused'], timeoutMs: IMPORT_TIMEOUT_MS, what: 'import the routines' },
    )
    if (answer.m === 'refused') {
      worker.kill()
      throw new Error(answer.reasons.join('\n'))
    }
    return answer
  }

  #receive(message: FromWorker): void {
    if (!('call' in message) || message.m === 'calibrate_now') return
    // Nothing waits for what an abandoned measurement still sends.
    if (message.call === this.#waiting?.call) this.#waiting.reply.resolve(message)
  }

  #hasEnded(how: string): void {
    const waiting = this.#waiting
    this.#forget()
    waiting?.reply.reject(
      new RoutineError('crashed', `the process of routines in Python ended (${how}), see the driver log`),
    )
  }

  #forget(): void {
    this.#worker = undefined
    this.#begun.clear()
  }
}
