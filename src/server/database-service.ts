import { feature } from 'bun:bundle'
import { type Clock, failpoint, type Log, messageOf } from '../base/index.ts'
import {
  acceptReplacement,
  readReplacement,
  removeAbandonedRestores,
  removeStaged,
  replaceDatabase,
  returnReplaced,
  unusedName,
} from '../db/sqlite/backup/index.ts'
import type { StagedRestore } from './admin/backups/operations.ts'
import type { Gate } from './gate.ts'
import type { HttpPorts } from './http/ports.ts'
import type { Instance } from './instance.ts'

interface DatabaseServiceDependencies {
  /** The data folder. */
  dir: string
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
    const { dir, open } = this.#dependencies
    try {
      this.#instance = await open()
    } catch (error) {
      if (!this.#isBetween()) throw error
      this.#logReturn(error)
      returnReplaced(dir)
      this.#instance = await open()
    }
  }

  /** Starts the services and opens the gate; a restored database that cannot be started gives way too. */
  async start(): Promise<void> {
    const { dir, open } = this.#dependencies
    try {
      await this.instance.start()
    } catch (error) {
      if (!this.#isBetween()) throw error
      this.#logReturn(error)
      returnReplaced(dir)
      this.#instance = await open()
      await this.instance.start()
    }
    this.#accept()
    removeAbandonedRestores(dir)
  }

  /**
   * Replaces the database by a staged one. Requests are refused meanwhile, those in progress finish first.
   * @throws the reason why the old database is in service again.
   */
  async replace({ staged, backup, onStep }: StagedRestore): Promise<void> {
    const { dir, clock, log, gate, ports } = this.#dependencies
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
      const kept = unusedName(dir, `svc.db.before-restore-${stampOf(clock.now())}`)
      replaceDatabase(dir, { staged, kept, backup })
      onStep('starting with the restored database')
      await this.#openNew()
      if (feature('FAILPOINTS')) failpoint('restore.started')
      this.#accept()
    } catch (error) {
      await this.#return(error)
      removeStaged(dir, staged)
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
    const { dir, open, log, onFailed } = this.#dependencies
    this.#logReturn(reason)
    try {
      await this.#instance?.stop().catch(() => undefined)
      returnReplaced(dir)
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
    const { dir, gate, log } = this.#dependencies
    const replacement = readReplacement(dir)
    acceptReplacement(dir)
    if (replacement) log.info('database restored', { backup: replacement.backup, replaced: replacement.kept })
    gate.open(this.instance.app)
  }

  /** Whether the database in the folder is a restored one that has not proven itself yet. */
  #isBetween(): boolean {
    return readReplacement(this.#dependencies.dir) !== undefined
  }

  #logReturn(error: unknown): void {
    this.#dependencies.log.error('the restored database cannot be put into service; the old one returns', {
      error: messageOf(error),
    })
  }
}

/** A time in a file name: `20260131T090500.000Z`. */
function stampOf(now: number): string {
  return new Date(now).toISOString().replaceAll(/[-:]/g, '')
}
