import { describe, expect, test } from 'bun:test'
import { keepHeartbeat } from '../../../../src/protocol/zmtp/connection/heartbeat.ts'
import { FakeClock } from '../../../support/fake-clock.ts'

function openHeartbeat() {
  const clock = new FakeClock()
  const abort = new AbortController()
  const seen = {
    pings: 0,
    deadAfter: 0,
    silences: [] as number[],
    received: clock.monotonic() as number | undefined,
  }
  const ended = keepHeartbeat({
    clock,
    signal: abort.signal,
    pingIntervalMs: 5_000,
    deadAfterMs: 15_000,
    lastReceived: () => seen.received,
    ping: () => {
      seen.pings += 1
    },
    silence: (silentMs) => {
      seen.silences.push(silentMs)
    },
    dead: (silentMs) => {
      seen.deadAfter = silentMs
    },
  })
  return { clock, abort, seen, ended }
}

describe('keepHeartbeat()', () => {
  test('sends PINGs at its interval while the peer responds', async () => {
    const { clock, seen } = openHeartbeat()
    for (let seconds = 1; seconds <= 60; seconds++) {
      await clock.advance(1_000)
      seen.received = clock.monotonic()
    }
    expect(seen).toMatchObject({ pings: 12, deadAfter: 0 })
  })

  test('reports a silent peer as dead exactly when the time is up', async () => {
    const { clock, seen, ended } = openHeartbeat()
    await clock.advance(3_000)
    seen.received = clock.monotonic()
    await clock.advance(14_999)
    expect(seen.deadAfter).toBe(0)
    await clock.advance(1)
    await ended
    expect(seen).toMatchObject({ pings: 3, deadAfter: 15_000 })
  })

  test('reports two unanswered PINGs before the peer is dead, and when it answers again', async () => {
    const { clock, seen } = openHeartbeat()
    await clock.advance(11_249)
    expect(seen.silences).toEqual([])
    await clock.advance(1)
    expect(seen.silences).toEqual([11_250])
    await clock.advance(1_000)
    seen.received = clock.monotonic()
    await clock.advance(5_000)
    expect(seen).toMatchObject({ silences: [11_250, 0], deadAfter: 0 })
  })

  test('reports no silence whose answer waits to be read, as after a pause of this process', async () => {
    const { clock, seen } = openHeartbeat()
    await clock.advance(11_000)
    seen.received = clock.monotonic()
    await clock.advance(10_000)
    expect(seen.silences).toEqual([])
  })

  test('reports no silence of an idle peer that answers each PING before the next', async () => {
    const { clock, seen } = openHeartbeat()
    let answerIn = 0
    for (let ping = 0; ping < 2_000; ping += 1) {
      answerIn = (answerIn + 1_237) % 5_000
      await clock.advance(answerIn)
      seen.received = clock.monotonic()
      await clock.advance(5_000 - answerIn)
    }
    expect(seen.silences).toEqual([])
  })

  test('does not count silence while reading is paused', async () => {
    const { clock, seen } = openHeartbeat()
    seen.received = undefined
    await clock.advance(60_000)
    expect(seen).toMatchObject({ pings: 12, deadAfter: 0 })
  })

  test('ends when its signal aborts', async () => {
    const { clock, abort, seen, ended } = openHeartbeat()
    abort.abort()
    await ended
    await clock.advance(60_000)
    expect(seen).toMatchObject({ pings: 0, deadAfter: 0 })
  })
})
