import { SQLiteError } from 'bun:sqlite'
import { setPriority } from 'node:os'
import { AppError, endWithParent, messageOf, toTimestamp } from '../../base/index.ts'
import { type Connection, openConnection } from '../sqlite/connection.ts'
import type { FromReader, ToReader } from './messages.ts'
import { readSelection } from './selection.ts'

/** Lower than that of the server, which has to respond to everybody else meanwhile. */
const NICENESS = 10

/**
 * Body of the hidden command `svc reader`: reads what the server requests over the IPC channel, on a
 * connection that cannot write. It ends with the server.
 * @throws AppError `invalid` when it was not started by a server.
 */
export function runReader(): void {
  if (!process.send) throw new AppError('invalid', 'svc reader is started by the server; use svc serve')
  // Ctrl-C in a terminal reaches this process too, but the server decides when it ends.
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => undefined)
  endWithParent(0)
  setPriority(NICENESS)
  const respond = createReader()
  process.on('message', (message: ToReader) => {
    const response = respond(message)
    if (response) process.send?.(response)
  })
  process.on('disconnect', () => process.exit(0))
}

/** Handles the messages of the server, one after another. */
function createReader(): (message: ToReader) => FromReader | undefined {
  let path = ''
  let connection: Connection | undefined
  return (message) => {
    if (message.kind === 'open') {
      path = message.path
      return undefined
    }
    try {
      // Opened by the first read, so that a file that cannot be opened fails that read.
      connection ??= openConnection(path, 'read')
      const { transaction, one, all, planOf } = connection
      const tx = { now: message.now, at: toTimestamp(message.now), one, all, planOf }
      return {
        kind: 'selected',
        selected: transaction('DEFERRED', () => readSelection(tx, message.selection)),
      }
    } catch (error) {
      return failureOf(error)
    }
  }
}

function failureOf(error: unknown): FromReader {
  if (error instanceof AppError) {
    const { code, message, reason } = error
    return { kind: 'refused', code, message, ...(reason !== undefined && { reason }) }
  }
  const code = error instanceof SQLiteError ? (error.code ?? '') : ''
  return { kind: 'failed', code, message: messageOf(error) }
}
