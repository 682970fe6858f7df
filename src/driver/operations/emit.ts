import { newId } from '../../base/index.ts'
import { EVENT_LIMITS, EVENTS } from '../../protocol/index.ts'
import { writeEvent } from '../messages/write-event.ts'
import type { OperationIo } from './operation.ts'

/** Types that the device sent and that are not in `EVENTS`; each is logged once. */
const unregistered = new Set<string>()
const MAX_UNREGISTERED = 100

/** Sends an event of the device; logs and drops an event above the size limit of the server. */
export function emitEvent(
  { clock, log, send }: OperationIo,
  type: string,
  payload: Record<string, unknown>,
): void {
  const id = newId(clock.now())
  const body = writeEvent(clock, type, id, payload)
  const bytes = Buffer.byteLength(body)
  const declared = EVENTS.find((each) => each.type === type)
  if (!declared && !unregistered.has(type) && unregistered.size < MAX_UNREGISTERED) {
    unregistered.add(type)
    // It is sent nevertheless: a newer server may know it.
    log.warn('event type is not registered; a server of this version drops it', { type })
  }
  const limit = declared?.maxBytes ?? EVENT_LIMITS.bytes
  if (bytes > limit) {
    log.warn('event is too large and is dropped', { type, bytes, limit })
    return
  }
  send({ kind: 'event', type, id, body })
}
