import { describe, expect, test } from 'bun:test'
import { MeasuredRange } from '../../../src/db/store/jobs/forecast/measured-range.ts'
import type { CandidateQueue, Excess, QueuePositionInput } from '../../../src/db/store/jobs/index.ts'
import type { WaitReason } from '../../../src/server/jobs/dispatch/pick.ts'
import { estimateWait } from '../../../src/server/jobs/wait-estimate.ts'
import { queueState } from '../../support/server/queue-state.ts'

const NOW = Date.UTC(2026, 0, 31, 9)
const IDLE_MS = 5_000
const SLOT = { user: 'booker', start: NOW - 60_000, end: NOW + 60_000, activeAt: undefined, job: '' }

const queue = (
  state: Parameters<typeof queueState>[0] = {},
  {
    ahead = 0,
    isBookerRunning = false,
    recentMs = [100, 300],
    waits = new MeasuredRange(20),
  }: Partial<CandidateQueue & CandidateQueue['forecast']> = {},
): CandidateQueue => ({ state: queueState(state), ahead, isBookerRunning, forecast: { recentMs, waits } })

const JOB: QueuePositionInput['job'] = {
  user: 'me',
  notBefore: 0,
  hasBalance: true,
  held: undefined,
  isNext: false,
}
const estimate = (queues: CandidateQueue[], job: Partial<QueuePositionInput['job']> = {}) =>
  estimateWait({ job: { ...JOB, ...job }, queues, excluded: [] }, NOW, IDLE_MS)

describe('estimateWait()', () => {
  test('names what of the chips is not calibrated for a job', () => {
    const unfit = { code: 'not_calibrated', reason: 'q1 is not calibrated' } as const
    const excluded = [{ qpu: queueState().qpu, excess: [], unfit }]
    expect(estimateWait({ job: JOB, queues: [], excluded }, NOW, IDLE_MS)).toEqual({
      waiting: {
        code: 'unsupported_by_qpu',
        text: 'q1 is not calibrated. It runs when a QPU supports it; cancel it if it need not',
      },
    })
  })

  test('names what misses the condition of a job rather than why other QPUs cannot run it', () => {
    const { qpu } = queueState()
    const unfit = { code: 'below_quality', reason: 'q1 misses' } as const
    const excluded = [
      { qpu, excess: [{ kind: 'shots', needed: 2, max: 1 }] satisfies Excess[], unfit: undefined },
      { qpu, excess: [], unfit },
    ]
    expect(estimateWait({ job: JOB, queues: [], excluded }, NOW, IDLE_MS).waiting).toEqual({
      code: 'below_quality',
      text: 'q1 misses. It runs when a calibration meets its condition, and jobs after it go first; cancel it if it need not',
    })
  })

  test('returns the queue position and a range from the fastest and slowest recent jobs', () => {
    expect(estimate([queue({}, { ahead: 2 })])).toMatchObject({
      waiting: { code: 'ahead_in_queue', text: '2 jobs are ahead' },
      position: 3,
      start: { from: NOW + 200, to: NOW + 600 },
    })
  })

  test('includes the remaining time of the running job', () => {
    const running = { job: 'other', since: NOW - 250 }
    expect(estimate([queue({ running })])).toMatchObject({
      waiting: { code: 'ahead_in_queue', text: 'Next in the queue, after the running job' },
      position: 1,
      start: { from: NOW, to: NOW + 50 },
    })
  })

  test('returns the range that was measured on earlier jobs once there are ten', () => {
    const waits = new MeasuredRange(20)
    for (let at = 0; at < 20; at += 1) waits.add(400, 500 + at)
    const { start, expectedMs } = estimate([queue({}, { ahead: 2, waits })])
    expect(expectedMs).toBe(400)
    expect(start).toEqual({ from: NOW + 500, to: NOW + 519 })
  })

  test('assumes 1 to 20 s per job on a QPU that has run none', () => {
    const { start } = estimate([queue({}, { ahead: 1, recentMs: [] })])
    expect(start).toEqual({ from: NOW + 1_000, to: NOW + 20_000 })
  })

  const text = 'Another user has booked this time; runs after 5 s of idleness'

  test('waits until the booker has been idle for the threshold', () => {
    const idle = estimate([queue({ slot: { ...SLOT, activeAt: NOW - 1_000 } })])
    expect(idle.waiting).toEqual({ code: 'slot_of_other_user', text, until: NOW + 4_000 })
    expect(idle.start).toEqual({ from: NOW + 4_000, to: NOW + 4_000 })
    expect(estimate([queue({ slot: SLOT })]).waiting.code).toBe('ahead_in_queue')
    const short = { ...SLOT, activeAt: NOW, end: NOW + 2_000 }
    expect(estimate([queue({ slot: short }, { ahead: 1 })]).start).toEqual({
      from: NOW + 2_100,
      to: NOW + 2_300,
    })
  })

  test("waits for the booker's jobs and the idle threshold, but not beyond the booking", () => {
    const booked = { ...SLOT, job: 'booked' }
    const busy = estimate([queue({ slot: booked }, { ahead: 2 })])
    expect(busy.waiting).toEqual({ code: 'slot_of_other_user', text, until: NOW + 60_000 })
    expect(busy.start).toEqual({ from: NOW + 5_200, to: NOW + 5_600 })
    const ending = estimate([queue({ slot: { ...booked, end: NOW + 1_000 } }, { ahead: 2 })])
    expect(ending.start).toEqual({ from: NOW + 1_200, to: NOW + 1_600 })
  })

  test('counts the idle time from the end of the running job of the booker', () => {
    const running = { job: 'booked', since: NOW - 50 }
    const state = { slot: SLOT, running }
    expect(estimate([queue(state, { isBookerRunning: true })])).toMatchObject({
      waiting: { code: 'slot_of_other_user', text, until: NOW + 60_000 },
      start: { from: NOW + 5_050, to: NOW + 5_250 },
    })
    expect(estimate([queue(state)])).toMatchObject({
      waiting: { code: 'ahead_in_queue' },
      start: { from: NOW + 50, to: NOW + 250 },
    })
  })

  test('a booking of the owner does not delay the job', () => {
    const { waiting } = estimate([queue({ slot: { ...SLOT, user: 'me', job: 'mine' } })])
    expect(waiting).toEqual({ code: 'ahead_in_queue', text: 'Next in the queue' })
  })

  test('reports only the hold of a held job, whatever else delays it', () => {
    const closed = queue({ qpu: { ...queueState().qpu, enabled: false } })
    expect(estimate([closed], { held: 'check the qubits', hasBalance: false })).toEqual({
      waiting: { code: 'held', text: 'Held by an operator: check the qubits' },
    })
    expect(estimate([], { held: '' }).waiting.text).toBe('Held by an operator')
  })

  test('no booking delays a job that was moved to the front', () => {
    const booked = queue({ slot: { ...SLOT, job: 'booked' } })
    expect(estimate([booked], { isNext: true })).toMatchObject({
      waiting: { code: 'ahead_in_queue', text: 'Next in the queue' },
      start: { from: NOW },
    })
  })

  test('reports that the QPU is draining, with the reason', () => {
    const qpu = { ...queueState().qpu, draining: true, drain_reason: 'helium refill' }
    const waiting: WaitReason = { code: 'draining', text: 'kelvin is draining: helium refill' }
    expect(estimate([queue({ qpu })])).toEqual({ waiting, position: 1 })
  })

  test('reports the back-off after a device error', () => {
    const { waiting, start } = estimate([queue()], { notBefore: NOW + 4_000 })
    expect(waiting).toMatchObject({ code: 'backoff', until: NOW + 4_000 })
    expect(start?.from).toBe(NOW + 4_000)
  })

  test('returns no time if it cannot be estimated', () => {
    const closed = queue({ isCalibrating: true })
    const calibrating = estimate([closed])
    expect(calibrating.waiting.code).toBe('calibrating')
    expect(calibrating.start).toBeUndefined()
    const poor = estimate([queue({}, { ahead: 4 })], { hasBalance: false })
    expect(poor).toMatchObject({ waiting: { code: 'balance' }, position: 5 })
    expect(poor.start).toBeUndefined()
    expect(estimate([])).toMatchObject({ waiting: { code: 'qpu_disabled' }, position: 1 })
  })

  test('reports the least severe reason of several QPUs', () => {
    const offline = queue()
    offline.state.qpu.status = 'offline'
    const open = queue({}, { ahead: 7 })
    expect(estimate([offline, open])).toMatchObject({ waiting: { code: 'ahead_in_queue' }, position: 8 })
  })

  test('a job that no QPU of its target supports is in no queue, and names at most five', () => {
    const excess = [{ kind: 'features', missing: 0b101 } as const]
    const excluded = Array.from({ length: 7 }, (_, at) => ({
      qpu: { ...queueState().qpu, name: `qpu_${at}` },
      ...{ excess, unfit: undefined },
    }))
    const { waiting, ...others } = estimateWait({ job: JOB, queues: [], excluded }, NOW, IDLE_MS)
    expect(others).toEqual({})
    expect(waiting.code).toBe('unsupported_by_qpu')
    expect(waiting.text).toContain(
      'qpu_4 does not support reset, feedback; …. It runs when a QPU supports it',
    )
    // One that supports it is enough.
    expect(estimateWait({ job: JOB, queues: [queue()], excluded }, NOW, IDLE_MS)).toMatchObject({
      position: 1,
    })
  })
})
