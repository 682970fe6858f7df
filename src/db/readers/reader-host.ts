import { setPriority } from 'node:os'
import { AppError, endWithParent, messageOf } from '../../base/index.ts'
import { type Connection, readerAt } from '../engine/connection.ts'
import type { PageWriter } from '../engine/export-page.ts'
import { readSelection } from '../engine/selection.ts'
import type { DatabaseSource } from '../engine/server-address.ts'
import type { FromReader, ReadTask, ToReader } from './messages.ts'

/** Lower than that of the server, which has to respond to everybody else meanwhile. */
const NICENESS = 10

/** A connection that only reads. */
export interface OpenedSource {
  readonly connection: Connection
  /** Ends each statement from now on after this time, for a database that can; the server ends the others. */
  limit(ms: number): void
}

/** Opens the database of a reader. */
type OpenSource = (source: DatabaseSource) => OpenedSource

/** A response, and the text that follows it. */
interface Answer {
  readonly response: FromReader
  readonly text?: Uint8Array
}

/**
 * Body of the hidden command `svc reader`: reads what the server requests over the IPC channel, on a
 * connection that cannot write. It ends with the server. `loadWriter` loads what writes pages of exports;
 * few readers need it.
 * @throws AppError `invalid` when it was not started by a server.
 */
export function serveReads(open: OpenSource, loadWriter: () => Promise<PageWriter>): void {
  if (!process.send) throw new AppError('invalid', 'svc reader is started by the server; use svc serve')
  // Ctrl-C in a terminal reaches this process too, but the server decides when it ends.
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => undefined)
  endWithParent(0)
  setPriority(NICENESS)
  const answer = createReader(open, loadWriter)
  process.on('message', async (message: ToReader) => {
    const answered = await answer(message)
    if (!answered) return
    process.send?.(answered.response)
    if (answered.text) await Bun.write(Bun.stdout, answered.text)
  })
  process.on('disconnect', () => process.exit(0))
}

/** Handles the messages of the server, which sends the next one after the response. */
function createReader(open: OpenSource, loadWriter: () => Promise<PageWriter>) {
  let source: DatabaseSource | undefined
  let opened: OpenedSource | undefined
  return async (message: ToReader): Promise<Answer | undefined> => {
    if (message.kind === 'open') {
      source = message.source
      return undefined
    }
    try {
      if (!source) throw new TypeError('the read came before the place of the database')
      // Opened by the first read, so that a database that cannot be opened fails that read.
      opened ??= open(source)
      opened.limit(message.limitMs)
      const { connection } = opened
      return message.task.kind === 'export'
        ? exported(connection, message.task, { write: await loadWriter(), now: message.now })
        : { response: selected(connection, message.task, message.now) }
    } catch (error) {
      return { response: failureOf(error) }
    }
  }
}

function selected(
  connection: Connection,
  { selection }: ReadTask & { kind: 'select' },
  now: number,
): FromReader {
  const tx = readerAt(connection, now)
  return { kind: 'selected', selected: connection.transaction('read', () => readSelection(tx, selection)) }
}

function exported(
  connection: Connection,
  { page }: ReadTask & { kind: 'export' },
  { write, now }: { write: PageWriter; now: number },
): Answer {
  const { text, last } = connection.transaction('read', () => write(connection, page, now))
  const response = { kind: 'exported', bytes: text.byteLength, ...(last !== undefined && { last }) } as const
  return { response, text }
}

function failureOf(error: unknown): FromReader {
  if (error instanceof AppError) {
    const { code, message, reason } = error
    return { kind: 'refused', code, message, ...(reason !== undefined && { reason }) }
  }
  return { kind: 'failed', message: messageOf(error) }
}
