import { describe, expect, test } from 'bun:test'
import type { RecordedJob, RecordedQpu, Recording } from '../../../src/db/recording/index.ts'
import type { JobNeeds } from '../../../src/db/store/jobs/index.ts'
import { POLICIES } from '../../../src/server/simulate/policies.ts'
import { asRecorded, PolicyComparison } from '../../../src/server/simulate/policy-comparison.ts'
import { replay } from '../../../src/server/simulate/replay.ts'
import { queueState } from '../../support/server/queue-state.ts'

const START = Date.UTC(2026, 0, 31, 9)
const SECOND = 1_000
const KELVIN = queueState().qpu

type JobSketch = Partial<Omit<RecordedJob, 'submittedAt' | 'attempts'>> & {
  /** s after the start. */
  at: number
  /** Run time in s. */
  ran?: number
  attempts?: [seconds: number, end: 'ok' | 'error' | 'lost'][]
}

const wide = (qubits: number): JobNeeds => ({ qubits, shots: 1, executions: 1, features: 0 })

/** A recording of jobs with times in seconds, on one QPU by default. */
function recordingOf(jobs: JobSketch[], patch: Partial<Recording> = {}): Recording {
  return {
    from: START,
    to: START + 100 * SECOND,
    users: ['ada', 'ben'].map((id) => ({ id, unlimited: true, credits: [] })),
    qpus: [qpu()],
    slots: [],
    jobs: jobs.map(({ at, ran, attempts = ran === undefined ? [] : [[ran, 'ok']], ...job }, index) => ({
      id: `job ${index}`,
      user: 'ada',
      target: '',
      needs: wide(1),
      cancelledAt: undefined,
      actions: [],
      ...job,
      submittedAt: START + at * SECOND,
      attempts: attempts.map(([seconds, end]) => ({
        ...{ qpu: KELVIN.id, startedAt: START, ms: seconds * SECOND, end, chargedMs: seconds * SECOND },
      })),
    })),
    ...patch,
  }
}

function qpu(changes: RecordedQpu['changes'] = []): RecordedQpu {
  return { qpu: KELVIN, usedFrom: START, changes }
}

/** Bookings in s after the start. */
function slots(...all: [user: string, start: number, end: number][]): Pick<Recording, 'slots'> {
  return {
    slots: all.map(([user, start, end]) => ({
      ...{ user, qpu: '', start: START + start * SECOND, end: START + end * SECOND, bookedAt: START },
    })),
  }
}

const HOUR = 3_600 * SECOND

/** Seconds that each job waited. */
function waits(recording: Recording, name = 'booked', idleSeconds = 5): number[] {
  const policy = POLICIES.find((each) => each.name === name)
  if (!policy) throw new Error(`there is no policy ${name}`)
  return [...replay(recording, { policy, idleMs: idleSeconds * SECOND, fairWindowMs: HOUR }).waitsMs].map(
    (ms) => ms / SECOND,
  )
}

describe('replay()', () => {
  test('runs one job after the other', () => {
    expect(
      waits(
        recordingOf([
          { at: 0, ran: 10 },
          { at: 1, ran: 10 },
          { at: 30, ran: 10 },
        ]),
      ),
    ).toEqual([0, 9, 0])
  })

  test("runs the booker's jobs first and others after the idle threshold, unlike fifo", () => {
    const jobs = [
      { at: 0, user: 'ben', ran: 4 },
      { at: 2, user: 'ben', ran: 4 },
      { at: 3, user: 'ada', ran: 1 },
    ]
    const recording = recordingOf(jobs, slots(['ada', 0, 60]))
    // From 3 s to 4 s ada runs; ben runs from 9 s on.
    expect(waits(recording)).toEqual([9, 11, 0])
    expect(waits(recording, 'booked', 0)).toEqual([0, 3, 1])
    expect(waits(recording, 'fifo')).toEqual([0, 2, 5])
  })

  test('runs a program exactly as wide as a QPU there, and one that is wider on another QPU', () => {
    const sized = (id: string, num_qubits: number): RecordedQpu => ({
      qpu: { ...KELVIN, id, name: id, num_qubits },
      usedFrom: START,
      changes: [],
    })
    const recording = recordingOf(
      [
        { at: 0, needs: wide(9), ran: 10 },
        { at: 1, needs: wide(5), ran: 4 },
        { at: 2, needs: wide(6), ran: 1 },
      ],
      { qpus: [sized('narrow', 5), sized('wide', 9)] },
    )
    // The wide QPU is busy until 10 s.
    expect(waits(recording)).toEqual([0, 0, 8])
  })

  test('fair: the user with less recent use runs first', () => {
    const jobs = [0, 0, 0].map((at) => ({ at, user: 'ada', ran: 10 }))
    const recording = recordingOf([...jobs, { at: 1, user: 'ben', ran: 10 }])
    expect(waits(recording)).toEqual([0, 10, 20, 29])
    expect(waits(recording, 'fair')).toEqual([0, 20, 30, 9])
  })

  test('repeats failed attempts: with a back-off after a device error, without one after a lost driver', () => {
    const recording = recordingOf([
      {
        at: 0,
        attempts: [
          [2, 'error'],
          [3, 'lost'],
          [1, 'ok'],
        ],
      },
      { at: 1, ran: 5 },
    ])
    expect(waits(recording)).toEqual([0, 1])
    const [policy] = POLICIES
    const { busy } = replay(recording, { policy: policy ?? never(), idleMs: 0, fairWindowMs: HOUR })
    const spans = busy.get(KELVIN.id)?.map(({ from, to }) => [(from - START) / SECOND, (to - START) / SECOND])
    // The pause ends at 3 s, during the other job.
    expect(spans).toEqual([
      [0, 2],
      [2, 7],
      [7, 10],
      [10, 11],
    ])
  })

  test('keeps jobs waiting while the QPU is in maintenance, off or calibrating', () => {
    for (const patch of [{ maintenance: true }, { enabled: false }, { isCalibrating: true }]) {
      const [key] = Object.keys(patch)
      const back = { [key ?? '']: key === 'enabled' }
      const changes = [
        { at: START + 5 * SECOND, patch },
        { at: START + 50 * SECOND, patch: back },
      ]
      const recording = recordingOf(
        [
          { at: 0, ran: 10 },
          { at: 1, ran: 10 },
        ],
        { qpus: [qpu(changes)] },
      )
      expect(waits(recording)).toEqual([0, 49])
    }
  })

  test('keeps jobs waiting while their owner has no balance, until more is granted', () => {
    const credits = [
      { at: START - SECOND, deltaMs: 5 * SECOND },
      { at: START + 40 * SECOND, deltaMs: 6 * SECOND },
    ]
    const users = [{ id: 'ada', unlimited: false, credits }]
    expect(
      waits(
        recordingOf(
          [
            { at: 0, ran: 10 },
            { at: 1, ran: 10 },
          ],
          { users },
        ),
      ),
    ).toEqual([0, 39])
  })

  test('holds and moves jobs as operators did', () => {
    const held = [
      { at: START + SECOND, act: 'held' as const },
      { at: START + 30 * SECOND, act: 'released' as const },
    ]
    const moved = [{ at: START + 2 * SECOND, act: 'moved_to_front' as const }]
    const recording = recordingOf([
      { at: 0, ran: 5 },
      { at: 1, ran: 5, actions: held },
      { at: 1, ran: 5 },
      { at: 1, ran: 5, actions: moved },
    ])
    expect(waits(recording)).toEqual([0, 29, 9, 4])
  })

  test('cancels jobs when their owners did, unless they have begun', () => {
    const cancelledAt = START + 5 * SECOND
    const jobs = [
      { at: 0, ran: 10 },
      { at: 1, cancelledAt },
      { at: 2, ran: 1 },
    ]
    expect(waits(recordingOf(jobs))).toEqual([0, Number.NaN, 8])
    expect(waits(recordingOf(jobs.slice(1)))).toEqual([0, 0])
  })

  test('never starts a job that no QPU can run', () => {
    const recording = recordingOf([{ at: 0, ran: 1 }], { qpus: [{ ...qpu(), usedFrom: undefined }] })
    expect(waits(recording)).toEqual([Number.NaN])
  })
})

function never(): never {
  throw new Error('unreachable')
}

describe('PolicyComparison', () => {
  test('computes waits of bookers and others, and how busy each QPU was while available', () => {
    const changes = [{ at: START + 50 * SECOND, patch: { maintenance: true } }]
    const jobs = [
      { at: 0, user: 'ada', ran: 5 },
      ...[1, 2, 3, 4].map((at) => ({ at, user: 'ben', ran: 5 })),
      { at: 60, user: 'ben', ran: 5 },
      { at: 61, user: 'ben', cancelledAt: START + 62 * SECOND },
    ]
    const recording = recordingOf(jobs, { ...slots(['ada', 0, 1]), qpus: [qpu(changes)] })
    const [policy] = POLICIES
    const figures = new PolicyComparison(recording).measure(
      replay(recording, { policy: policy ?? never(), idleMs: 0, fairWindowMs: HOUR }),
    )
    expect(figures).toEqual({
      waits: {
        booker: { jobs: 1, mean: 0, p50: 0, p90: 0, p99: 0, never: 0 },
        // 4, 8, 12 and 16 s.
        others: { jobs: 4, mean: 10_000, p50: 8_000, p90: 16_000, p99: 16_000, never: 1 },
      },
      utilization: [{ qpu: 'kelvin', share: 0.5 }],
    })
  })

  test('measures the recorded runs like a replay', () => {
    const recording = recordingOf([{ at: 0, ran: 10 }])
    const { waits: found, utilization } = new PolicyComparison(recording).measure(asRecorded(recording))
    expect(found.others).toEqual({ jobs: 1, mean: 0, p50: 0, p90: 0, p99: 0, never: 0 })
    expect(utilization).toEqual([{ qpu: 'kelvin', share: 0.1 }])
  })
})
