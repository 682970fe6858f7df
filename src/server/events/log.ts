import type { Database } from '../../db/index.ts'
import { events } from '../../db/store/readings/index.ts'
import type { EventEnvelope } from '../../protocol/index.ts'
import type { EventSource } from '../drivers/receive.ts'

/** Stores an event in the log as received. */
export async function logEvent(db: Database, source: EventSource, event: EventEnvelope): Promise<void> {
  await db.write('log event', (tx) =>
    tx.insert(events, {
      source: source.name,
      driver: source.driver,
      qpu: source.qpu,
      type: event.type,
      payload: event.payload,
      ts: event.ts,
    }),
  )
}
