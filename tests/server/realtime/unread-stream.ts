import { newSecret } from '../../../src/base/index.ts'
import type { Caller } from '../../../src/server/http/caller.ts'
import { EventStream } from '../../../src/server/realtime/event-stream.ts'
import type { Streams } from '../../../src/server/realtime/streams.ts'
import { FakeClock } from '../../support/fake-clock.ts'

/** A stream without a reader, listed in `streams` until it ends. */
export function unreadStream(streams: Streams, caller: Caller = { kind: 'guest' }): EventStream {
  const id = newSecret(8)
  const stream = new EventStream({
    id,
    caller,
    address: '127.0.0.1',
    credentials: new Request('http://127.0.0.1/'),
    clock: new FakeClock(),
    setIdleTimeout: () => undefined,
    onEnd: () => streams.remove(id),
  })
  streams.add(stream)
  return stream
}
