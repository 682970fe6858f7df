import { join } from 'node:path'
import { type Clock, newId, silentLog, systemClock } from '../../../src/base/index.ts'
import { EventQueue } from '../../../src/driver/connection/event-queue.ts'
import { Outbox } from '../../../src/driver/connection/outbox.ts'
import { ServerConnection } from '../../../src/driver/connection/server-connection.ts'
import { writeEvent } from '../../../src/driver/messages/write-event.ts'
import type { Command, Operation } from '../../../src/protocol/index.ts'
import type { TestServer } from './server.ts'

/** The clock of the machine, on which no pause takes longer than 20 ms: a driver retries at once. */
const IMPATIENT: Clock = {
  now: () => systemClock.now(),
  monotonic: () => systemClock.monotonic(),
  sleep: (ms, signal) => systemClock.sleep(Math.min(ms, 20), signal),
}

/** The pauses before an event is sent again, shortened a hundredfold. */
const RESENDING: Clock = { ...IMPATIENT, monotonic: () => systemClock.monotonic() * 100 }

/** What a scripted driver says and does. */
export interface Script {
  operation?: Operation
  /** The description that follows the hello. */
  description?: object | undefined
  /** Fields of each hello. */
  hello?: () => object
  onCommand?: (command: Command, driver: ScriptedDriver) => void
}

/**
 * The connection of a driver as it is, with its retries and its outbox, but no device: a script decides what
 * it sends.
 */
export class ScriptedDriver implements AsyncDisposable {
  readonly id: string
  readonly #connection: ServerConnection
  readonly #outbox: Outbox
  readonly #queue = new EventQueue(silentLog)

  private constructor(id: string, outbox: Outbox, create: (driver: ScriptedDriver) => ServerConnection) {
    this.id = id
    this.#outbox = outbox
    this.#connection = create(this)
  }

  /** Starts a driver; it connects in the background. */
  static async start(
    test: TestServer,
    { id, token }: { id: string; token: string },
    { operation = 'process', description, hello = () => ({}), onCommand = () => undefined }: Script = {},
  ): Promise<ScriptedDriver> {
    const folder = join(test.folder, `driver-${id}`)
    const clock = IMPATIENT
    const outbox = await Outbox.open(join(folder, 'outbox'), { clock: RESENDING, log: silentLog })
    const driver = new ScriptedDriver(
      id,
      outbox,
      (self) =>
        new ServerConnection({
          server: {
            ...{ addresses: [test.url], token, caFile: join(folder, 'ca.pem') },
            pin: test.context.tls.material.caFingerprint,
          },
          ...{ operation, device: 'scripted', host: 'here', version: 'test', clock, log: silentLog },
          ...{ outbox, queue: self.#queue },
          greeting(epoch) {
            const of = (type: string, payload: object) => writeEvent(clock, type, newId(clock.now()), payload)
            const payload = {
              version: 'test',
              device: 'scripted',
              epoch,
              running: null,
              outbox: outbox.ids(),
            }
            const describes = description !== undefined
            const first = of('DriverHello', { ...payload, describes, ...hello() })
            return describes ? [first, of('DeviceDescription', description)] : [first]
          },
          onLease: () => undefined,
          onCommand(text) {
            const command: Command = JSON.parse(text)
            if (command.type === 'EventAck') void outbox.acknowledge(command.event)
            onCommand(command, self)
          },
          onDetached: () => undefined,
        }),
    )
    void driver.#connection.run()
    return driver
  }

  get isAttached(): boolean {
    return this.#connection.isAttached
  }

  /** Sends an event that the server does not acknowledge, now or after the next attach. */
  send(type: string, payload: object): void {
    this.#queue.add({
      body: writeEvent(systemClock, type, newId(systemClock.now()), payload),
      droppable: false,
    })
    this.#connection.wake()
  }

  /** Stores the last event of a task, which is sent until it is acknowledged. */
  async report(type: string, id: string, payload: object): Promise<void> {
    await this.#outbox.put(id, writeEvent(systemClock, type, id, payload))
    this.#connection.wake()
  }

  /** The events that are not acknowledged. */
  get unacknowledged(): number {
    return this.#outbox.size
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#connection.close()
    await this.#outbox.close()
  }
}
