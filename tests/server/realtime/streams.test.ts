import { describe, expect, test } from 'bun:test'
import { COUNTS } from '../../../src/server/admission/limits.ts'
import type { Caller } from '../../../src/server/http/caller.ts'
import { Streams } from '../../../src/server/realtime/streams.ts'
import { unreadStream } from './unread-stream.ts'

const MAX_UNREAD_BYTES = COUNTS.unreadEventBytes.bounds.account
const MIB = new Uint8Array(MAX_UNREAD_BYTES)

const openStreams = () => new Streams(() => 50)

describe('Streams', () => {
  test('dropSlowest() drops the slowest clients when the unread bytes of all exceed the limit', () => {
    const streams = openStreams()
    const slow = Array.from({ length: 129 }, () => unreadStream(streams))
    const [quick, quicker] = [unreadStream(streams), unreadStream(streams)]
    for (const stream of slow.slice(0, 127)) stream.send('t', MIB)
    streams.dropSlowest()
    expect(streams.size).toBe(131)
    for (const stream of slow.slice(127)) stream.send('t', MIB)
    for (const stream of slow) stream.flush()
    streams.dropSlowest()
    expect(streams.size).toBeLessThan(131)
    expect(streams.size).toBeGreaterThan(120)
    expect([streams.get(quick.id), streams.get(quicker.id)]).toEqual([quick, quicker])
  })

  test('evictOldestGuest() closes the oldest stream of a guest and refuses when all belong to users', () => {
    const streams = openStreams()
    const user = (at: number): Caller => ({
      kind: 'superuser',
      superuser: {
        id: `id ${at}`,
        email: '',
        password: '',
        tokenKey: '',
        created: '',
        updated: '',
        verified: true,
        emailVisibility: false,
        mail_alerts: false,
      },
      login: { refreshable: true, expiresAt: Number.POSITIVE_INFINITY },
    })
    for (let at = 0; at < 1_998; at += 1) unreadStream(streams, user(at))
    const [first, second] = [unreadStream(streams), unreadStream(streams)]
    streams.evictOldestGuest()
    expect([streams.size, streams.get(first.id), streams.get(second.id)]).toEqual([1_999, undefined, second])
    unreadStream(streams, user(2_000))
    streams.evictOldestGuest()
    unreadStream(streams, user(2_001))
    expect(() => streams.evictOldestGuest()).toThrow('All 2000 streams are in use')
  })
})

describe('EventStream', () => {
  test('an event of any size reaches a client that reads; a client with 1 MiB unread is dropped', async () => {
    const streams = openStreams()
    const stream = unreadStream(streams)
    expect(stream.send('t', new Uint8Array(4 * MAX_UNREAD_BYTES))).toBe(true)
    stream.flush()
    expect(stream.unreadBytes).toBeGreaterThan(4 * MAX_UNREAD_BYTES)
    expect([stream.send('t', MIB), streams.size]).toEqual([false, 0])
    let bytes = 0
    for await (const chunk of stream.body) bytes += chunk.byteLength
    expect(bytes).toBeGreaterThan(4 * MAX_UNREAD_BYTES)
  })

  test('gathered events are sent in one write', async () => {
    const stream = unreadStream(openStreams())
    for (let at = 0; at < 3; at += 1) stream.send('t', new TextEncoder().encode(`data:${at}\n\n`))
    stream.flush()
    stream.close()
    const writes: string[] = []
    for await (const chunk of stream.body) writes.push(new TextDecoder().decode(chunk))
    expect(writes).toHaveLength(2)
    expect(writes[1]).toBe([0, 1, 2].map((at) => `id:${stream.id}\nevent:t\ndata:${at}\n\n`).join(''))
  })
})
