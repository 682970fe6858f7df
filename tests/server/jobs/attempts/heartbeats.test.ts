import { describe, expect, test } from 'bun:test'
import { Deadlines } from '../../../../src/server/jobs/attempts/heartbeats.ts'
import { FakeClock } from '../../../support/fake-clock.ts'

const ATTEMPT = { job: 'a', attempt: 1 }

describe('Deadlines', () => {
  test('overdue() waits for silence, and a sign of life begins it anew', async () => {
    const clock = new FakeClock()
    const deadlines = new Deadlines(clock, 20_000)
    deadlines.claimed(ATTEMPT)
    await clock.advance(15_000)
    deadlines.alive(ATTEMPT)
    await clock.advance(19_999)
    expect(deadlines.overdue([ATTEMPT])).toEqual([])
    await clock.advance(1)
    expect(deadlines.overdue([ATTEMPT])).toEqual([ATTEMPT])
    expect(deadlines.elapsedMs(ATTEMPT)).toBe(35_000)
  })

  test('overdue() gives attempts of an earlier life of the server their full time', async () => {
    const clock = new FakeClock()
    const deadlines = new Deadlines(clock, 20_000)
    await clock.advance(90_000)
    expect(deadlines.overdue([ATTEMPT])).toEqual([])
    expect(deadlines.elapsedMs(ATTEMPT)).toBeUndefined()
    await clock.advance(20_000)
    expect(deadlines.overdue([ATTEMPT])).toEqual([ATTEMPT])
  })

  test('overdue() is not moved by jumps of the wall clock', async () => {
    const clock = new FakeClock()
    const deadlines = new Deadlines(clock, 20_000)
    deadlines.claimed(ATTEMPT)
    clock.jump(86_400_000)
    expect(deadlines.overdue([ATTEMPT])).toEqual([])
  })

  test('overdue() forgets attempts that do not run any more', () => {
    const deadlines = new Deadlines(new FakeClock(), 20_000)
    deadlines.claimed(ATTEMPT)
    deadlines.overdue([])
    expect(deadlines.elapsedMs(ATTEMPT)).toBeUndefined()
  })
})
