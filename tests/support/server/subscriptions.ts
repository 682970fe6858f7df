import { expect } from 'bun:test'
import { EventSourceClient } from './event-source.ts'
import type { TestClient, TestResponse } from './server.ts'

/** A topic with options, as the SDK of the record-store pattern writes it. */
export function withOptions(topic: string, query: object, headers: object = {}): string {
  return `${topic}?options=${encodeURIComponent(JSON.stringify({ query, headers }))}`
}

/** A stream without subscriptions. */
export function openStream(
  server: { url: string },
  headers: Record<string, string> = {},
): Promise<EventSourceClient> {
  return EventSourceClient.open(`${server.url}/api/realtime`, headers)
}

/** Sets the subscriptions of a stream, on behalf of `client`. */
export async function subscribe(
  client: TestClient,
  stream: EventSourceClient,
  subscriptions: string[],
): Promise<TestResponse> {
  return client.post('/api/realtime', { clientId: await stream.clientId(), subscriptions })
}

/** A stream of `client` with subscriptions to `topics`. */
export async function listenAs(client: TestClient, ...topics: string[]): Promise<EventSourceClient> {
  const stream = await openStream(client)
  expect((await subscribe(client, stream, topics)).status).toBe(204)
  return stream
}
