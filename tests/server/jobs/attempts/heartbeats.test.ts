import { describe, expect, test } from 'bun:test'
import { Heartbeats } from '../../../../src/server/jobs/attempts/heartbeats.ts'
import { FakeClock } from '../../../support/fake-clock.ts'

const ATTEMPT = { job: 'a', attempt: 1 }

describe('Heartbeats', () => {
  test('findExpired() returns an attempt after the time-out, which each heartbeat restarts', async () => {
    const clock = new FakeClock()
    const heartbeats = new Heartbeats(clock, 20_000)
    heartbeats.start(ATTEMPT)
    await clock.advance(15_000)
    heartbeats.record(ATTEMPT)
    await clock.advance(19_999)
    expect(heartbeats.findExpired([ATTEMPT])).toEqual([])
    await clock.advance(1)
    expect(heartbeats.findExpired([ATTEMPT])).toEqual([ATTEMPT])
    expect(heartbeats.elapsedMs(ATTEMPT)).toBe(35_000)
  })

  test('findExpired() allows attempts claimed by an earlier process their full time', async () => {
    const clock = new FakeClock()
    const heartbeats = new Heartbeats(clock, 20_000)
    await clock.advance(90_000)
    expect(heartbeats.findExpired([ATTEMPT])).toEqual([])
    expect(heartbeats.elapsedMs(ATTEMPT)).toBeUndefined()
    await clock.advance(20_000)
    expect(heartbeats.findExpired([ATTEMPT])).toEqual([ATTEMPT])
  })

  test('findExpired() is not affected by jumps of the wall clock', async () => {
    const clock = new FakeClock()
    const heartbeats = new Heartbeats(clock, 20_000)
    heartbeats.start(ATTEMPT)
    clock.jump(86_400_000)
    expect(heartbeats.findExpired([ATTEMPT])).toEqual([])
  })

  test('findExpired() stops tracking attempts that no longer run', () => {
    const heartbeats = new Heartbeats(new FakeClock(), 20_000)
    heartbeats.start(ATTEMPT)
    heartbeats.findExpired([])
    expect(heartbeats.elapsedMs(ATTEMPT)).toBeUndefined()
  })
})
