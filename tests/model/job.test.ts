import { describe, expect, test } from 'bun:test'
import { ALL_GUARDS, exploreJob, type Guards } from './job.model.ts'

const ONE_EACH = {
  crashes: 1,
  powerFailures: 0,
  losses: 1,
  timeouts: 1,
  takeovers: 1,
  deviceErrors: 0,
  refusals: 0,
  requeues: 0,
}

describe('job model', () => {
  test('exploreJob() finds no violation and no dead end with one crash, loss, time-out and takeover', () => {
    const found = exploreJob(ONE_EACH)
    expect(found.violation).toBeUndefined()
    expect(found.stuck).toBe(0)
    expect(found.states).toBeGreaterThan(10_000)
  })

  test('exploreJob() finds no violation and no dead end with device errors and an early time-out', () => {
    const found = exploreJob({
      crashes: 0,
      powerFailures: 0,
      losses: 0,
      timeouts: 1,
      takeovers: 1,
      deviceErrors: 1,
      refusals: 1,
      requeues: 0,
    })
    expect(found.violation).toBeUndefined()
    expect(found.stuck).toBe(0)
  })

  test('exploreJob() finds no violation and no dead end when a result that was sent before its flush is lost', () => {
    const found = exploreJob({ ...ONE_EACH, powerFailures: 1 })
    expect(found.violation).toBeUndefined()
    expect(found.stuck).toBe(0)
    expect(found.states).toBeGreaterThan(10_000)
  })

  const REQUEUED = { ...ONE_EACH, losses: 0, timeouts: 0, requeues: 1 }

  test('exploreJob() finds no violation and no dead end when an operator requeues the job', () => {
    const found = exploreJob(REQUEUED)
    expect(found.violation).toBeUndefined()
    expect(found.stuck).toBe(0)
    expect(found.states).toBeGreaterThan(10_000)
  })

  test('exploreJob() detects a store that applies the result of a requeued attempt', () => {
    const { violation } = exploreJob(REQUEUED, { ...ALL_GUARDS, requeueFence: false })
    expect(violation?.invariant).toMatch(/I4 a result that was taken back/)
    expect(violation?.trace.length).toBeLessThanOrEqual(12)
  })

  const missing: [keyof Guards, RegExp][] = [
    ['attemptFence', /I4/],
    ['stateGuard', /I1|I3/],
    ['lateResults', /I8/],
    ['chargeInsideGuard', /I3/],
  ]
  for (const [guard, invariant] of missing) {
    test(`exploreJob() detects a store without ${guard}`, () => {
      const { violation } = exploreJob(ONE_EACH, { ...ALL_GUARDS, [guard]: false })
      expect(violation?.invariant).toMatch(invariant)
      expect(violation?.trace.length).toBeLessThanOrEqual(12)
    })
  }
})
