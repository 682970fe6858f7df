import { statSync } from 'node:fs'
import { AppError, type Clock, type Log, messageOf, newId, toTimestamp } from '../../../base/index.ts'
import type { Finding } from '../../../db/index.ts'
import { type BackupResult, type BackupTask, runInBackupProcess } from '../../../db/sqlite/backup/index.ts'

/** What the server does with one backup, or did last. */
export interface BackupOperation {
  readonly id: string
  readonly kind: 'create' | 'verify' | 'restore'
  /** Name of the backup. */
  readonly name: string
  readonly actor: string
  readonly startedAt: number
  state: 'running' | 'succeeded' | 'failed'
  /** The step that runs or ran last. */
  step: string
  endedAt: number | undefined
  /** Why it failed. */
  error: string
  /** Invariants that the data of the backup violate. */
  findings: Finding[]
}

/** A backup that is ready to replace the database. */
export interface StagedRestore {
  /** Path of the new database, relative to the data folder. */
  staged: string
  /** Name of the backup. */
  backup: string
  /** Called before each step. */
  onStep(text: string): void
}

interface OperationsDependencies {
  dir: string
  clock: Clock
  log: Log
  version: string
  /** Puts a staged backup into service; when it throws, the old database is in service. */
  replace(restore: StagedRestore): Promise<void>
}

interface Requested {
  kind: BackupOperation['kind']
  name: string
  path: string
  actor: string
}

/**
 * Makes, checks and restores backups in the background, one at a time. It outlives a restore, so that its
 * outcome can be read afterwards.
 */
export class BackupOperations {
  readonly #dependencies: OperationsDependencies
  readonly #stop = new AbortController()
  #last: BackupOperation | undefined
  /** The file that is being written. */
  #partial = ''
  #done: Promise<void> = Promise.resolve()

  constructor(dependencies: OperationsDependencies) {
    this.#dependencies = dependencies
  }

  /** The operation that runs, or the last one since the start of the process. */
  get last(): BackupOperation | undefined {
    return this.#last
  }

  /** @throws AppError `conflict` (`backup_operation_running`). */
  assertIdle(): void {
    if (this.#last?.state !== 'running') return
    const { kind, name, startedAt } = this.#last
    throw new AppError(
      'conflict',
      `The server works on the backup ${name} (${kind}) since ${toTimestamp(startedAt)}; wait until it has finished`,
      { reason: 'backup_operation_running', retryAfter: 5 },
    )
  }

  /**
   * Starts an operation in the background.
   * @throws AppError `conflict` (`backup_operation_running`).
   */
  start(requested: Requested): BackupOperation {
    this.assertIdle()
    const { clock } = this.#dependencies
    const { kind, name, actor } = requested
    const operation: BackupOperation = {
      id: newId(clock.now()),
      kind,
      name,
      actor,
      startedAt: clock.now(),
      state: 'running',
      step: 'starting',
      endedAt: undefined,
      error: '',
      findings: [],
    }
    this.#last = operation
    this.#done = this.#run(operation, requested)
    return operation
  }

  /** Bytes that a running copy has written so far; undefined when nothing is being written. */
  writtenBytes(): number | undefined {
    if (this.#last?.state !== 'running') return undefined
    return statSync(this.#partial, { throwIfNoEntry: false })?.size
  }

  /** Resolves when no operation runs. */
  idle(): Promise<void> {
    return this.#done
  }

  /** Ends a running operation, except a restore that already replaces the database. */
  async stop(): Promise<void> {
    this.#stop.abort()
    await this.#done
  }

  async #run(operation: BackupOperation, { path, kind }: Requested): Promise<void> {
    const { clock, log } = this.#dependencies
    const fields = { operation: kind, backup: operation.name }
    log.info('backup operation started', fields)
    try {
      await (kind === 'restore' ? this.#restore(operation, path) : this.#perform(operation, kind, path))
      operation.state = 'succeeded'
      log.info('backup operation succeeded', { ...fields, findings: operation.findings.length })
    } catch (error) {
      operation.state = 'failed'
      operation.error = messageOf(error)
      log.error('backup operation failed', { ...fields, error: operation.error })
    }
    operation.endedAt = clock.now()
  }

  async #perform(operation: BackupOperation, kind: BackupTask['kind'], path: string): Promise<BackupResult> {
    const { dir, version } = this.#dependencies
    const { actor } = operation
    const result = await runInBackupProcess(
      { kind, dir, path, version, actor },
      {
        onPartial: (file) => {
          this.#partial = file
        },
        onStage: this.#stepsOf(operation),
        signal: this.#stop.signal,
      },
    )
    operation.findings = result.findings
    return result
  }

  async #restore(operation: BackupOperation, path: string): Promise<void> {
    const { staged } = await this.#perform(operation, 'stage', path)
    if (operation.findings.length > 0) {
      throw new AppError(
        'conflict',
        `The data of the backup violate ${operation.findings.length} invariants; restore another one, or stop the server and use svc restore`,
      )
    }
    if (this.#stop.signal.aborted) throw new AppError('unavailable', 'The server stops')
    await this.#dependencies.replace({ staged, backup: operation.name, onStep: this.#stepsOf(operation) })
  }

  /** Records the steps of an operation. */
  #stepsOf(operation: BackupOperation): (text: string) => void {
    const { kind, name } = operation
    return (step) => {
      operation.step = step
      this.#dependencies.log.info('backup operation continues', { operation: kind, backup: name, step })
    }
  }
}
