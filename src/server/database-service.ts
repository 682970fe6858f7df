import { feature } from 'bun:bundle'
import { type Clock, failpoint, type Log, messageOf } from '../base/index.ts'
import type { RestoredFile } from '../db/sqlite/backup/index.ts'
import type { StagedRestore } from './admin/backups/operations.ts'
import type { Gate } from './gate.ts'
import type { HttpPorts } from './http/ports.ts'
import type { Instance } from './instance/dependencies.ts'

interface DatabaseServiceDependencies {
  /** Undefined for a database that a server of its own keeps. */
  restored: RestoredFile | undefined
  clock: Clock
  log: Log
  gate: Gate
  ports: Pick<HttpPorts, 'idle'>
  /** Opens the database in the folder with everything that works on it. */
  open(): Promise<Instance>
  /** No database could be put into service. */
  onFailed: ((error: unknown) => void) | undefined
}

/**
 * Keeps one instance of the server in service, and replaces its database by a restored one. When that cannot
 * be opened or started, also after the process was killed, the old database returns to service; see
 * docs/decisions/0016-restore-in-place.md.
 */
export class DatabaseService {
  readonly #dependencies: DatabaseServiceDependencies
  #instance: Instance | undefined

  constructor(dependencies: DatabaseServiceDependencies) {
    this.#dependencies = dependencies
  }

  /** The instance in service. */
  get instance(): Instance {
    if (!this.#instance) throw new Error('the database is not open yet')
    return this.#instance
  }

  /** Whether the database was opened. */
  get isOpen(): boolean {
    return this.#instance !== undefined
  }

  /** Opens the database; a restored one that cannot be opened gives way to the old one. */
  async open(): Promise<void> {
    const { restored, open } = this.#dependencies
    try {
      this.#instance = await open()
    } catch (error) {
      if (!restored?.isOnTrial) throw error
      this.#logReturn(error)
      restored.withdraw()
      this.#instance = await open()
    }
  }

  /** Starts the services and opens the gate; a restored database that cannot be started gives way too. */
  async start(): Promise<void> {
    const { restored, open } = this.#dependencies
    try {
      await this.instance.start()
    } catch (error) {
      if (!restored?.isOnTrial) throw error
      this.#logReturn(error)
      restored.withdraw()
      this.#instance = await open()
      await this.instance.start()
    }
    this.#accept()
    restored?.removeAbandoned()
  }

  /**
   * Replaces the database by a staged one. Requests are refused meanwhile, those in progress finish first.
   * @throws the reason why the old database is in service again.
   */
  async replace({ staged, backup, onStep }: StagedRestore): Promise<void> {
    const { restored, clock, log, gate, ports } = this.#dependencies
    if (restored === undefined) throw new TypeError('a database without files cannot be replaced')
    const begun = clock.monotonic()
    if (feature('FAILPOINTS')) failpoint('restore.staged')
    onStep('stopping the services')
    gate.close()
    try {
      this.instance.endStreams()
      await ports.idle()
      await this.instance.stop()
      if (feature('FAILPOINTS')) failpoint('restore.stopped')
      onStep('replacing the database')
      restored.replace({ staged, backup, at: clock.now() })
      onStep('starting with the restored database')
      await this.#openNew()
      if (feature('FAILPOINTS')) failpoint('restore.started')
      this.#accept()
    } catch (error) {
      await this.#return(error)
      restored.remove(staged)
      throw error
    } finally {
      log.info('requests are served again', { refused_ms: Math.round(clock.monotonic() - begun) })
    }
  }

  async #openNew(): Promise<void> {
    this.#instance = await this.#dependencies.open()
    if (feature('FAILPOINTS')) failpoint('restore.opened')
    await this.#instance.start()
  }

  /** Puts the old database into service after `reason`; ends the process if that is impossible. */
  async #return(reason: unknown): Promise<void> {
    const { restored, open, log, onFailed } = this.#dependencies
    this.#logReturn(reason)
    try {
      await this.#instance?.stop().catch(() => undefined)
      restored?.withdraw()
      this.#instance = await open()
      await this.#instance.start()
      this.#accept()
    } catch (error) {
      log.error('no database could be put into service', { error })
      onFailed?.(error)
    }
  }

  /** The database in service is the one to keep. */
  #accept(): void {
    const { restored, gate, log } = this.#dependencies
    const accepted = restored?.accept()
    if (accepted) log.info('database restored', { backup: accepted.backup, replaced: accepted.kept })
    gate.open(this.instance.app)
  }

  #logReturn(error: unknown): void {
    this.#dependencies.log.error('the restored database cannot be put into service; the old one returns', {
      error: messageOf(error),
    })
  }
}
