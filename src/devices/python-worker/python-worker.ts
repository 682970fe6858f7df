import * as v from 'valibot'
import { type Clock, type Log, MINUTE_MS, messageOf, withTimeout } from '../../base/index.ts'
import { StartupError } from '../errors.ts'
import { FrameReader, type Message, writeFrame } from './frames.ts'
import { FROM_WORKER, type FromWorker, type FromWorkerName, PROTOCOLS } from './messages.ts'
import { OutputLines } from './output-lines.ts'

interface PythonWorkerDependencies {
  clock: Clock
  log: Log
  /** Environment of the process. */
  env: Record<string, string | undefined>
  /** Working folder, from which modules are imported too. */
  cwd: string
  /** The process has ended while the device was open; `how` is a signal name or an exit code. */
  onEnd(how: string): void
}

/** A message that is expected, and what to do if it does not come. */
interface Expected<Name extends FromWorkerName> {
  answers: readonly Name[]
  timeoutMs: number
  /** What the worker is doing, for the message of the error. */
  what: string
}

type Answer = PromiseWithResolvers<FromWorker>

/** What Python prints without the package `svc-driver`; it becomes an error of its own. */
const MISSING_SDK = /No module named '?svc_driver\b/

const HELLO_TIMEOUT_MS = MINUTE_MS

/** How many of the last lines a device printed are part of the report that it cannot start. */
const REPORTED_LINES = 5

/**
 * The process that runs a device in Python: `python -u -m svc_driver.worker`, which exchanges frames over its
 * stdin and stdout. What it prints goes to the log.
 */
export class PythonWorker {
  readonly #dependencies: PythonWorkerDependencies
  readonly #process: Bun.Subprocess<'pipe', 'pipe', 'pipe'>
  readonly #output: OutputLines
  readonly #interpreter: string
  #expected: { answers: readonly string[]; answer: Answer } | undefined
  #isOpen = false
  /** What in its stdout was no message. */
  #breach: string | undefined
  #ended: string | undefined
  #receive: (message: FromWorker) => void = () => undefined

  /** @throws StartupError when the interpreter cannot be started. */
  constructor(interpreter: string, dependencies: PythonWorkerDependencies) {
    const { clock, log, env, cwd } = dependencies
    this.#interpreter = interpreter
    this.#dependencies = dependencies
    this.#output = new OutputLines({
      clock,
      onLine: (line) => {
        if (!MISSING_SDK.test(line)) log.info('output of the device', { line })
      },
      onDropped: (lines) => log.warn('output of the device is too fast; lines are left out', { lines }),
    })
    try {
      this.#process = Bun.spawn([interpreter, '-u', '-m', 'svc_driver.worker'], {
        cwd,
        env: passedOn(env),
        stdio: ['pipe', 'pipe', 'pipe'],
      })
    } catch (cause) {
      throw new StartupError(`startup error: ${interpreter} cannot be started: ${messageOf(cause)}`, {
        mayPass: true,
      })
    }
    const printed = this.#readOutput()
    const read = this.#readFrames()
    void Promise.all([this.#process.exited, read, printed]).then(() => this.#hasEnded())
  }

  /** Receives the messages that no `ask` waits for. */
  onMessage(receive: (message: FromWorker) => void): void {
    this.#receive = receive
  }

  /** The end of the process is reported from now on. */
  markOpen(): void {
    this.#isOpen = true
  }

  /** Sends a message, if the process is running. */
  send(message: Message): void {
    if (this.#ended !== undefined) return
    try {
      this.#process.stdin.write(writeFrame(message))
      void this.#process.stdin.flush()
    } catch {
      // The process is ending, which is reported.
    }
  }

  /**
   * Waits for one of the expected messages, after sending `message` if there is one.
   * @throws StartupError when the process ends or does not respond in time.
   */
  async ask<Name extends FromWorkerName>(
    message: Message | undefined,
    { answers, timeoutMs, what }: Expected<Name>,
  ): Promise<FromWorker<Name>> {
    const answer: Answer = Promise.withResolvers()
    this.#expected = { answers, answer }
    if (this.#ended !== undefined) answer.reject(this.#endOf(this.#ended))
    else if (message) this.send(message)
    try {
      const received = await withTimeout(answer.promise, {
        clock: this.#dependencies.clock,
        ms: timeoutMs,
        onTimeout: () => {
          throw new StartupError(
            `startup error: ${this.#interpreter} did not ${what} within ${timeoutMs / 1_000} s${this.#lastLines()}`,
            { mayPass: true },
          )
        },
      })
      // `#dispatch` accepts the expected names only.
      return received as FromWorker<Name>
    } catch (error) {
      this.kill()
      throw error
    } finally {
      this.#expected = undefined
    }
  }

  /**
   * Waits for the first message.
   * @throws StartupError when the package in Python speaks another version of the protocol.
   */
  async negotiate(): Promise<FromWorker<'hello'>> {
    const hello = await this.ask(undefined, {
      answers: ['hello'],
      timeoutMs: HELLO_TIMEOUT_MS,
      what: 'respond',
    })
    if (hello.protocols.some((each) => PROTOCOLS.includes(each))) return hello
    this.kill()
    throw new StartupError(
      `startup error: svc-driver ${hello.sdk} in Python speaks version ${hello.protocols.join(', ')} of the device ` +
        `protocol, this driver version ${PROTOCOLS.join(', ')}; bring them together with pip install -U ./drivers/python in a checkout of svc`,
    )
  }

  /** Ends the process immediately; nothing is reported. */
  kill(): void {
    this.#isOpen = false
    this.#process.kill('SIGKILL')
  }

  async #readOutput(): Promise<void> {
    for await (const chunk of this.#process.stderr) this.#output.push(chunk)
    this.#output.end()
  }

  async #readFrames(): Promise<void> {
    const reader = new FrameReader()
    try {
      for await (const chunk of this.#process.stdout) {
        for (const message of reader.push(chunk)) this.#dispatch(message)
      }
    } catch (error) {
      this.#breach = messageOf(error)
      this.#dependencies.log.error('the device process does not follow the protocol and is killed', {
        error: this.#breach,
      })
      this.#process.kill('SIGKILL')
    }
  }

  /** @throws Error for a message of a known name that lacks what belongs to it. */
  #dispatch(raw: Message): void {
    const schema = Object.hasOwn(FROM_WORKER, raw.m) ? FROM_WORKER[raw.m as FromWorkerName] : undefined
    if (!schema) return
    const parsed = v.safeParse(schema, raw)
    if (!parsed.success) {
      const [issue] = parsed.issues
      throw new Error(`message ${raw.m}: ${v.getDotPath(issue) ?? ''}: ${issue.message}`)
    }
    const message = parsed.output
    if (message.m === 'log') this.#dependencies.log[message.level](message.message, message.fields)
    else if (this.#expected?.answers.includes(message.m)) this.#expected.answer.resolve(message)
    else this.#receive(message)
  }

  #hasEnded(): void {
    const { exitCode, signalCode } = this.#process
    const how = signalCode === null ? `code ${exitCode}` : String(signalCode)
    this.#ended = how
    this.#expected?.answer.reject(this.#endOf(how))
    if (this.#isOpen) this.#dependencies.onEnd(how)
  }

  #endOf(how: string): StartupError {
    if (this.#output.last.some((line) => MISSING_SDK.test(line))) {
      return new MissingSdkError(
        `${this.#interpreter} does not have the package svc-driver: install it with ` +
          `${this.#interpreter} -m pip install ./drivers/python in a checkout of svc, or name another Python with --python`,
      )
    }
    if (this.#breach !== undefined) {
      return new StartupError(
        `startup error: the device process in Python wrote what is not a message (${this.#breach}); ` +
          'nothing but svc_driver may write to its standard output',
      )
    }
    return new StartupError(
      `startup error: the device process in Python ended (${how})${this.#lastLines()}`,
      { mayPass: true },
    )
  }

  #lastLines(): string {
    return this.#output.last
      .slice(-REPORTED_LINES)
      .map((line) => `\n  ${line}`)
      .join('')
  }
}

/** The interpreter does not have the package for devices. */
export class MissingSdkError extends StartupError {}

/** The environment without the channel between the driver and its child process. */
function passedOn(env: Record<string, string | undefined>): Record<string, string | undefined> {
  return Object.fromEntries(Object.entries(env).filter(([name]) => !name.startsWith('NODE_CHANNEL_')))
}
