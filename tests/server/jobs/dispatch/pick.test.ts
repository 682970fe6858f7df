import { describe, expect, test } from 'bun:test'
import type { QueueState } from '../../../../src/db/store/jobs/index.ts'
import { pickJob, type WaitReason } from '../../../../src/server/jobs/dispatch/pick.ts'
import { queueState } from '../../../support/server/queue-state.ts'

const NOW = Date.UTC(2026, 0, 31, 9)
const IDLE_MS = 5_000

const slot = (patch: Partial<NonNullable<QueueState['slot']>> = {}): NonNullable<QueueState['slot']> => ({
  user: 'booker',
  start: NOW - 60_000,
  end: NOW + 60_000,
  activeAt: undefined,
  job: '',
  ...patch,
})

describe('pickJob()', () => {
  test('picks the first job if nothing is booked', () => {
    expect(pickJob(queueState({ job: 'first' }), NOW, IDLE_MS)).toEqual({ job: 'first' })
  })

  test('prefers the booker over an older job', () => {
    const state = queueState({ job: 'first', slot: slot({ job: 'booked' }) })
    expect(pickJob(state, NOW, IDLE_MS)).toEqual({ job: 'booked' })
  })

  test("picks a job moved to the front before the booker's, but none for an unavailable QPU", () => {
    const state = queueState({ next: 'urgent', job: 'first', slot: slot({ job: 'booked' }) })
    expect(pickJob(state, NOW, IDLE_MS)).toEqual({ job: 'urgent' })
    const draining = { ...state, qpu: { ...state.qpu, draining: true } }
    expect(pickJob(draining, NOW, IDLE_MS)).toMatchObject({ job: undefined, waiting: { code: 'draining' } })
  })

  test('picks nothing for an empty queue or a busy QPU', () => {
    expect(pickJob(queueState(), NOW, IDLE_MS)).toEqual({ job: undefined })
    const busy = queueState({ job: 'first', running: { job: 'other', since: NOW } })
    expect(pickJob(busy, NOW, IDLE_MS)).toEqual({ job: undefined })
  })

  const idleFrom: [string, ReturnType<typeof slot>, number][] = [
    ['the start of the slot', slot({ start: NOW - 1_000 }), NOW + 4_000],
    ["the booker's last activity", slot({ activeAt: NOW - 2_000 }), NOW + 3_000],
    ['the start, when the activity was before it', slot({ start: NOW, activeAt: NOW - 2_000 }), NOW + 5_000],
    ['but not beyond the end of the slot', slot({ activeAt: NOW, end: NOW + 100 }), NOW + 100],
  ]
  for (const [name, booked, until] of idleFrom) {
    test(`makes others wait for the idle threshold, counted from ${name}`, () => {
      const state = queueState({ job: 'first', slot: booked })
      const waiting: WaitReason = {
        code: 'slot_of_other_user',
        text: 'Another user has booked this time; runs after 5 s of idleness',
        until,
      }
      expect(pickJob(state, NOW, IDLE_MS)).toEqual({ job: undefined, waiting })
      expect(pickJob(state, until - 1, IDLE_MS).job).toBeUndefined()
      expect(pickJob(state, until, IDLE_MS)).toEqual({ job: 'first' })
    })
  }

  test('runs others at once with an idle threshold of 0', () => {
    const state = queueState({ job: 'first', slot: slot({ activeAt: NOW }) })
    expect(pickJob(state, NOW, 0)).toEqual({ job: 'first' })
  })

  const closed: [Partial<QueueState['qpu']>, boolean, string, string][] = [
    [{ enabled: false }, false, 'qpu_disabled', 'kelvin is disabled'],
    [
      { maintenance: true, maintenance_reason: 'new pump' },
      false,
      'maintenance',
      'kelvin is in maintenance: new pump',
    ],
    [{ status: 'offline' }, false, 'driver_offline', 'kelvin is not connected'],
    [{}, true, 'calibrating', 'kelvin is being calibrated'],
  ]
  for (const [qpu, isCalibrating, code, text] of closed) {
    test(`returns no job, not even the booker's, while the reason is ${code}`, () => {
      const state = queueState({ job: 'first', slot: slot({ job: 'booked' }), isCalibrating })
      Object.assign(state.qpu, qpu)
      expect(pickJob(state, NOW, IDLE_MS)).toMatchObject({ job: undefined, waiting: { code, text } })
    })
  }
})
