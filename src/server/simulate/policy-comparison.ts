import type { RecordedQpu, Recording } from '../../db/recording/index.ts'
import type { Replay } from './replay.ts'

/** Classes of jobs: the owner of a `booker` job had booked, at its submission, a QPU that may run it. */
export const CLASSES = ['booker', 'others'] as const
type UserClass = (typeof CLASSES)[number]

/** Waiting times of a class from submission to first start, in ms; NaN without any job. */
interface WaitFigures {
  /** Number of jobs that started. */
  jobs: number
  mean: number
  p50: number
  p90: number
  p99: number
  /** Number of jobs that never started and were not cancelled. */
  never: number
}

/** The figures by which policies are compared. */
export interface Figures {
  waits: Record<UserClass, WaitFigures>
  /** Share of its available time during which each QPU was busy, 0 to 1; NaN if it was never available. */
  utilization: { qpu: string; share: number }[]
}

/** Compares replays of one recording; what they have in common is computed once. */
export class PolicyComparison {
  readonly #recording: Recording
  readonly #classes: readonly UserClass[]
  readonly #open: ReadonlyMap<string, Span[]>

  constructor(recording: Recording) {
    this.#recording = recording
    this.#classes = classesOf(recording)
    this.#open = new Map(recording.qpus.map((qpu) => [qpu.qpu.id, openSpans(qpu, recording)]))
  }

  /** The figures of a replay. */
  measure({ waitsMs, busy }: Replay): Figures {
    return {
      waits: { booker: this.#waits('booker', waitsMs), others: this.#waits('others', waitsMs) },
      utilization: this.#recording.qpus.map(({ qpu }) => {
        const open = this.#open.get(qpu.id) ?? []
        return { qpu: qpu.name, share: overlapMs(busy.get(qpu.id) ?? [], this.#recording) / lengthMs(open) }
      }),
    }
  }

  #waits(wanted: UserClass, waitsMs: Float64Array): WaitFigures {
    const ofClass = waitsMs.filter((_, index) => this.#classes[index] === wanted)
    const started = ofClass.filter((wait) => !Number.isNaN(wait)).sort()
    const cancelled = this.#recording.jobs.filter(
      ({ cancelledAt }, index) =>
        cancelledAt !== undefined && this.#classes[index] === wanted && Number.isNaN(waitsMs[index]),
    )
    return {
      jobs: started.length,
      mean: started.reduce((total, wait) => total + wait, 0) / started.length,
      p50: percentile(started, 0.5),
      p90: percentile(started, 0.9),
      p99: percentile(started, 0.99),
      never: ofClass.length - started.length - cancelled.length,
    }
  }
}

/** The recorded runs in the form of a replay, to compare policies with what happened. */
export function asRecorded({ jobs, qpus }: Recording): Replay {
  const busy: Replay['busy'] = new Map(qpus.map(({ qpu }) => [qpu.id, []]))
  for (const { attempts } of jobs) {
    for (const { qpu, startedAt, ms } of attempts)
      busy.get(qpu)?.push({ from: startedAt, to: startedAt + ms })
  }
  const waits = jobs.map(({ submittedAt, attempts: [first] }) =>
    first ? Math.max(0, first.startedAt - submittedAt) : Number.NaN,
  )
  return { waitsMs: Float64Array.from(waits), busy }
}

/** Percentile by nearest rank: the smallest value that at least this share of all values does not exceed. */
function percentile(sorted: Float64Array, share: number): number {
  return sorted[Math.max(0, Math.ceil(share * sorted.length) - 1)] ?? Number.NaN
}

function classesOf({ jobs, slots }: Recording): UserClass[] {
  const byUser = Map.groupBy(slots, ({ user }) => user)
  return jobs.map(({ user, target, submittedAt }) => {
    const holds = byUser
      .get(user)
      ?.some(
        ({ qpu, start, end, bookedAt }) =>
          Math.max(start, bookedAt) <= submittedAt &&
          submittedAt < end &&
          (qpu === '' || target === '' || qpu === target),
      )
    return holds ? 'booker' : 'others'
  })
}

interface Span {
  from: number
  to: number
}

/** When a QPU was enabled and neither in maintenance, draining nor calibrating, within the recording. */
function openSpans({ qpu, usedFrom, changes }: RecordedQpu, { from, to }: Recording): Span[] {
  if (usedFrom === undefined) return []
  const { enabled, maintenance, draining } = qpu
  let state = { enabled, maintenance, draining, isCalibrating: false }
  const open: Span[] = []
  let since = Math.max(from, usedFrom)
  for (const { at, patch } of [...changes, { at: to, patch: {} }]) {
    const end = Math.min(at, to)
    const isOpen = state.enabled && !state.maintenance && !state.draining && !state.isCalibrating
    if (isOpen && end > since) open.push({ from: since, to: end })
    since = Math.max(since, end)
    state = { ...state, ...patch }
  }
  return open
}

function lengthMs(spans: readonly Span[]): number {
  return spans.reduce((total, { from, to }) => total + to - from, 0)
}

/** How much of `spans` lies within `whole`. */
function overlapMs(spans: readonly Span[], whole: Span): number {
  return lengthMs(
    spans
      .map(({ from, to }) => ({ from: Math.max(from, whole.from), to: Math.min(to, whole.to) }))
      .filter(({ from, to }) => to > from),
  )
}
