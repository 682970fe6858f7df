import { setPriority } from 'node:os'
import { AppError, endWithParent, messageOf } from '../../../base/index.ts'
import { type Connection, readerAt } from '../../engine/connection.ts'
import type { PageWriter } from '../../engine/export-page.ts'
import { readSelection } from '../../engine/selection.ts'
import { openConnection } from '../connection.ts'
import type { FromReader, ReadTask, ToReader } from './messages.ts'

/** Lower than that of the server, which has to respond to everybody else meanwhile. */
const NICENESS = 10

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
export function runReader(loadWriter: () => Promise<PageWriter>): void {
  if (!process.send) throw new AppError('invalid', 'svc reader is started by the server; use svc serve')
  // Ctrl-C in a terminal reaches this process too, but the server decides when it ends.
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => undefined)
  endWithParent(0)
  setPriority(NICENESS)
  const answer = createReader(loadWriter)
  process.on('message', async (message: ToReader) => {
    const answered = await answer(message)
    if (!answered) return
    process.send?.(answered.response)
    if (answered.text) await Bun.write(Bun.stdout, answered.text)
  })
  process.on('disconnect', () => process.exit(0))
}

/** Handles the messages of the server, which sends the next one after the response. */
function createReader(loadWriter: () => Promise<PageWriter>) {
  let path = ''
  let connection: Connection | undefined
  return async (message: ToReader): Promise<Answer | undefined> => {
    if (message.kind === 'open') {
      path = message.path
      return undefined
    }
    try {
      // Opened by the first read, so that a file that cannot be opened fails that read.
      connection ??= openConnection(path, 'read')
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
