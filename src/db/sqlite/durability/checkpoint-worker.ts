/** Entry point of the thread that copies the log into the database, see `checkpoint-thread.ts`. */
import { Database } from 'bun:sqlite'
import { serveWorker } from '../../../base/index.ts'
import type { CheckpointRequest, CheckpointResponse, checkpointWorker } from './checkpoint-thread.ts'

type Opening = Extract<CheckpointRequest, { kind: 'open' }>

let opening: Opening | undefined
/** Stays open: a checkpoint leaves no snapshot behind. */
let database: Database | undefined

function open({ path, pragmas }: Opening): Database {
  const opened = new Database(path, { readwrite: true, create: false, strict: true })
  for (const [name, value] of pragmas) opened.run(`PRAGMA ${name} = ${value}`)
  return opened
}

function checkpoint(): CheckpointResponse {
  if (!opening) throw new Error('the checkpoint came before the path of the database')
  database ??= open(opening)
  const row = database
    .query<{ log: number; checkpointed: number }, []>('PRAGMA wal_checkpoint(PASSIVE)')
    .get()
  return { kind: 'done', log: row?.log ?? 0, checkpointed: row?.checkpointed ?? 0 }
}

function close(): CheckpointResponse {
  database?.close(true)
  database = undefined
  return { kind: 'done', log: 0, checkpointed: 0 }
}

serveWorker<typeof checkpointWorker>((request, respond) => {
  if (request.kind === 'open') {
    opening = request
    return
  }
  try {
    respond(request.kind === 'close' ? close() : checkpoint())
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : ''
    respond({ kind: 'failure', message: error instanceof Error ? error.message : String(error), code })
  }
})
