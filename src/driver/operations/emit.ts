import { newId } from '../../base/index.ts'
import { EVENTS } from '../../protocol/index.ts'
import { writeEvent } from '../write-event.ts'
import type { OperationIo } from './operation.ts'

/** Longest event the server reads, except those it acknowledges. */
const EVENT_BYTES_MAX = 64 * 1024

/** Sends an event of the device on its way; one the server would refuse for its size is dropped with a log line. */
export function emitEvent(
  { clock, log, send }: OperationIo,
  type: string,
  payload: Record<string, unknown>,
): void {
  const id = newId(clock.now())
  const body = writeEvent(clock, type, id, payload)
  const bytes = Buffer.byteLength(body)
  const acknowledged = EVENTS.find((each) => each.type === type)?.acknowledged ?? false
  if (!acknowledged && bytes > EVENT_BYTES_MAX) {
    log.warn('event is too large and is dropped', { type, bytes, limit: EVENT_BYTES_MAX })
    return
  }
  send({ kind: 'event', type, id, body })
}
