import * as v from 'valibot'
import { AppError, badField } from '../../../base/index.ts'
import type { Database } from '../../../db/index.ts'
import { appendAudit } from '../../../db/journal/index.ts'
import {
  backupName,
  findBackupFile,
  isBackupName,
  listBackupFiles,
  newBackupPath,
  removeBackupFile,
} from '../../../db/sqlite/backup/index.ts'
import { notWithPostgres } from '../../config/database-server.ts'
import type { ServerContext } from '../../context.ts'
import { type Caller, callerName } from '../../http/caller.ts'
import { fileResponse } from '../../http/response/file-response.ts'
import { defineRoute, Reply, type Route } from '../../http/route.ts'
import { described } from '../../http/schema.ts'
import type { BackupOperation, BackupOperations } from './operations.ts'
import { backupResponse, operationResponse, presentBackup, presentOperation } from './responses.ts'

/** Listed at a time; of more, the newest. */
const MAX_LISTED = 1_000
/** Seconds after which an idle download is closed. */
const DOWNLOAD_IDLE_SECONDS = 120
const BACKUPS = '/api/op/backups'

/** Making, checking, downloading and restoring backups. */
export function backupRoutes(operations: BackupOperations): Route[] {
  const begin = async (
    { db }: Pick<ServerContext, 'db'>,
    caller: Caller,
    requested: Pick<BackupOperation, 'kind' | 'name'> & { path: string },
  ): Promise<Reply> => {
    operations.assertIdle()
    await audit(db, caller, requested.kind, requested.name)
    const operation = operations.start({ ...requested, actor: callerName(caller) })
    return new Reply(202, presentOperation(operation, undefined))
  }
  return [
    defineRoute(`GET ${BACKUPS}`, {
      access: 'superuser',
      summary: 'List the backups and the databases that restores and upgrades have kept, newest first',
      errors: { not_with_postgres: 409 },
      response: v.object({
        backups: v.array(backupResponse),
        total: described(v.number(), `Number of files; ${MAX_LISTED} are listed`),
        operation: v.nullable(operationResponse),
      }),
      async run(context) {
        const { files, total } = await listBackupFiles(folderOf(context), MAX_LISTED)
        return { backups: files.map(presentBackup), total, operation: lastOf(operations) }
      },
    }),
    defineRoute(`GET ${BACKUPS}/operation`, {
      access: 'superuser',
      summary: 'Retrieve the progress or the outcome of the last operation on a backup since the start',
      statuses: [200, 404],
      response: operationResponse,
      async run() {
        const last = lastOf(operations)
        if (!last) throw new AppError('not_found', 'There was no operation on a backup since the start')
        return last
      },
    }),
    defineRoute(`POST ${BACKUPS}`, {
      access: 'superuser',
      summary: 'Make a checked backup in the background',
      body: v.object({
        name: v.optional(
          described(
            v.pipe(
              v.string(),
              v.check(isBackupName, 'Expected a file name that ends in .db, of letters, digits, _, . and -'),
            ),
            'Name of the file; if omitted, one with the time',
          ),
        ),
      }),
      statuses: [202],
      errors: { backup_operation_running: 409, file_exists: 409, not_with_postgres: 409 },
      response: operationResponse,
      async run(context, { body, caller }) {
        const { name = backupName(context.clock.now()) } = body
        return begin(context, caller, { kind: 'create', name, path: newBackupPath(folderOf(context), name) })
      },
    }),
    defineRoute(`POST ${BACKUPS}/restore`, {
      access: 'superuser',
      summary: 'Replace the database by a backup; everything after the backup is lost',
      body: v.object({
        name: v.string(),
        confirm: described(v.string(), 'The name of the backup once more'),
      }),
      statuses: [202],
      errors: { no_backup: 404, backup_operation_running: 409, replicated: 409, not_with_postgres: 409 },
      response: operationResponse,
      async run(context, { body: { name, confirm }, caller }) {
        if (confirm !== name) throw notConfirmed(name)
        const folder = folderOf(context)
        assertNotReplicated(context)
        const { path } = await findBackupFile(folder, name)
        return begin(context, caller, { kind: 'restore', name, path })
      },
    }),
    defineRoute(`POST ${BACKUPS}/:name/verify`, {
      access: 'superuser',
      summary: 'Check a backup completely in the background',
      statuses: [202],
      errors: { no_backup: 404, backup_operation_running: 409, not_with_postgres: 409 },
      response: operationResponse,
      async run(context, { params: { name = '' }, caller }) {
        const { path } = await findBackupFile(folderOf(context), name)
        return begin(context, caller, { kind: 'verify', name, path })
      },
    }),
    defineRoute(`GET ${BACKUPS}/:name/file`, {
      access: 'superuser',
      summary: 'Download a backup, or a range of it; it contains the keys that sign logins',
      headers: { Range: 'Bytes to send, such as `bytes=1000-`.' },
      statuses: [200, 206, 416],
      errors: { no_backup: 404, not_with_postgres: 409 },
      media: 'application/vnd.sqlite3',
      async run(context, { params: { name = '' }, caller, request, setIdleTimeout }) {
        const file = await findBackupFile(folderOf(context), name)
        await audit(context.db, caller, 'download', name)
        setIdleTimeout(DOWNLOAD_IDLE_SECONDS)
        return fileResponse(request, { ...file, type: 'application/vnd.sqlite3' })
      },
    }),
    defineRoute(`DELETE ${BACKUPS}/:name`, {
      access: 'superuser',
      summary: 'Delete a backup with the result of its check and the root CA stored next to it',
      statuses: [204],
      errors: { no_backup: 404, backup_operation_running: 409, not_with_postgres: 409 },
      async run(context, { params: { name = '' }, caller }) {
        const { path } = await findBackupFile(folderOf(context), name)
        operations.assertIdle()
        await audit(context.db, caller, 'delete', name)
        removeBackupFile(path)
        return new Reply(204)
      },
    }),
  ]
}

/**
 * The folder of the database.
 * @throws AppError `conflict`, reason `not_with_postgres`, when a server of its own keeps it.
 */
function folderOf({ db, config }: Pick<ServerContext, 'db' | 'config'>): string {
  if (db.files) return config.dir
  throw notWithPostgres()
}

function lastOf(operations: BackupOperations) {
  return operations.last ? presentOperation(operations.last, operations.writtenBytes()) : null
}

function audit(db: Database, caller: Caller, action: string, name: string): Promise<void> {
  const entry = { actor: callerName(caller), action: `backup.${action}`, subject: name }
  return db.write('audit backup', (tx) => appendAudit(tx, entry))
}

function notConfirmed(name: string): AppError {
  const message = `Expected the name of the backup once more: ${name}.`
  return badField('The restore is not confirmed', 'confirm', message, { code: 'validation_not_confirmed' })
}

/** A replicator has the database open and would go on with the replaced file. */
function assertNotReplicated({ config }: Pick<ServerContext, 'config'>): void {
  if (config.checkpoints === 'server') return
  throw new AppError(
    'conflict',
    'A replicator reads this database (--checkpoints external); stop it and the server, then use svc restore',
    { reason: 'replicated' },
  )
}
