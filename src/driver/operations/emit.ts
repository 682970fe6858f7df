import { newId } from '../../base/index.ts'
import { EVENTS } from '../../protocol/index.ts'
import { writeEvent } from '../messages/write-event.ts'
import type { OperationIo } from './operation.ts'

/** Size limits of the server for telemetry and for acknowledged events. */
const MAX_EVENT_BYTES = 64 * 1024
const MAX_REPORT_BYTES = 32 * 1024 * 1024

/** Sends an event of the device; logs and drops an event above the size limit of the server. */
export function emitEvent(
  { clock, log, send }: OperationIo,
  type: string,
  payload: Record<string, unknown>,
): void {
  const id = newId(clock.now())
  const body = writeEvent(clock, type, id, payload)
  const bytes = Buffer.byteLength(body)
  const acknowledged = EVENTS.find((each) => each.type === type)?.acknowledged ?? false
  const limit = acknowledged ? MAX_REPORT_BYTES : MAX_EVENT_BYTES
  if (bytes > limit) {
    log.warn('event is too large and is dropped', { type, bytes, limit })
    return
  }
  send({ kind: 'event', type, id, body })
}
