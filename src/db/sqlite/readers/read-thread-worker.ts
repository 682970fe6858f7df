/** Entry point of the thread that runs long reads, see `read-thread.ts`. */
import { Database } from 'bun:sqlite'
import { serveWorker } from '../../../base/index.ts'
import type { ReadRequest, ReadResponse, readWorker } from './read-thread.ts'

type Opening = Extract<ReadRequest, { kind: 'open' }>

let opening: Opening | undefined

/** A file that cannot be opened fails the statement. */
function open({ path, pragmas }: Opening): Database {
  const opened = new Database(path, { readonly: true, strict: true })
  for (const [name, value] of pragmas) opened.run(`PRAGMA ${name} = ${value}`)
  return opened
}

function run({ sql, params }: Extract<ReadRequest, { kind: 'run' }>): ReadResponse {
  let database: Database | undefined
  try {
    if (!opening) throw new Error('the statement came before the path of the database')
    database = open(opening)
    const statement = database.prepare<Record<string, unknown>, [typeof params]>(sql)
    const rows = statement.all(params)
    statement.finalize()
    return { kind: 'rows', rows }
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : ''
    return { kind: 'failure', message: error instanceof Error ? error.message : String(error), code }
  } finally {
    // Ending a thread takes a while; an open connection would make a clean stop leave the write-ahead log.
    database?.close()
  }
}

serveWorker<typeof readWorker>((request, respond) => {
  if (request.kind === 'open') opening = request
  else respond(run(request))
})
