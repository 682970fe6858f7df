import { MeasuredRange, type MsRange } from './measured-range.ts'
import { nearestOf } from './nearest.ts'

/** What the duration of a job depends on, as far as it is known before it runs. */
interface JobSize {
  /** SHA-256 of its programs; '' = unknown. */
  program: string
  /** Most shots of one of its circuits; 0 = unknown or exact. */
  shots: number
  executions: number
  qubits: number
}

/** A job that a QPU has completed. */
interface PastRun extends JobSize {
  /** Execution time. */
  ms: number
  /** From claim to end, ms. */
  busyMs: number
}

/** On what an estimate is based; it is assumed while a QPU has run too few jobs. */
export const ESTIMATE_BASES = ['same_program', 'recent_jobs', 'assumed'] as const
export type EstimateBasis = (typeof ESTIMATE_BASES)[number]

/** A run that is expected, in ms. */
interface ExpectedRun extends MsRange {
  basis: EstimateBasis
}

/** Jobs that are remembered, and of those the ones whose durations count for the queue. */
const MAX_REMEMBERED = 120
const MAX_RECENT = 20
/** Runs of the nearest size that make an expectation. */
const MAX_NEAREST = 9
const MIN_RUNS = 3
/** Assumed duration of a job on a QPU that has run none, ms. */
export const ASSUMED_MS = { typical: 1_000, fast: 1_000, slow: 20_000 } as const
/** Durations that make no difference: of an execution, and of a wait, ms. */
const RUN_OFFSET_MS = 1
const WAIT_OFFSET_MS = 20
/** Jobs that differ by more say nothing about each other: by a factor of 12 in shots, or 8 qubits. */
const MAX_DISTANCE = 2.5
/** So much counts a different number of qubits, in units of a factor e of shots. */
const QUBIT_WEIGHT = 0.3

/** What is expected of the jobs of one QPU, learned from those that it has completed. */
export class Forecast {
  /** How long jobs wait: the range around what the queue lets expect. */
  readonly waits = new MeasuredRange(WAIT_OFFSET_MS)
  readonly #runs: (PastRun & { size: number })[] = []
  readonly #ranges = {
    same_program: new MeasuredRange(RUN_OFFSET_MS),
    recent_jobs: new MeasuredRange(RUN_OFFSET_MS),
  }

  /** Time from claim to end of the latest jobs, ms, newest first. */
  get recentMs(): readonly number[] {
    return this.#runs
      .slice(-MAX_RECENT)
      .reverse()
      .map(({ busyMs }) => busyMs)
  }

  /** The middle one of them, never 0, and assumed for a QPU that has run none. */
  get typicalMs(): number {
    return Math.max(1, middle(this.recentMs) ?? ASSUMED_MS.typical)
  }

  /** Learns from a job that has ended well, after all that ended before. */
  add(run: PastRun): void {
    for (const basis of ['same_program', 'recent_jobs'] as const) {
      const expected = this.#expectedMs(run, basis)
      if (expected !== undefined) this.#ranges[basis].add(expected, run.ms)
    }
    this.#runs.push({ ...run, size: sizeOf(run) })
    if (this.#runs.length > MAX_REMEMBERED) this.#runs.shift()
  }

  /** How long a job of this size runs. */
  run(job: JobSize): ExpectedRun {
    for (const basis of ['same_program', 'recent_jobs'] as const) {
      const expected = this.#expectedMs(job, basis)
      const range = expected === undefined ? undefined : this.#ranges[basis].of(expected)
      if (range) return { ...range, basis }
    }
    return { from: ASSUMED_MS.fast, to: ASSUMED_MS.slow, basis: 'assumed' }
  }

  /** The middle of the runs of the nearest size, each scaled to the size of the job. */
  #expectedMs(job: JobSize, basis: Exclude<EstimateBasis, 'assumed'>): number | undefined {
    const isSame = basis === 'same_program'
    const known = isSame
      ? this.#runs.filter(({ program }) => program !== '' && program === job.program)
      : this.#runs
    if (known.length === 0) return undefined
    const size = sizeOf(job)
    const distance = (run: (typeof known)[number]) =>
      Math.abs(run.size - size) + QUBIT_WEIGHT * Math.abs(run.qubits - job.qubits)
    const most = isSame ? Number.POSITIVE_INFINITY : MAX_DISTANCE
    const nearest = nearestOf(known, { distance, most, count: MAX_NEAREST })
    if (!isSame && nearest.length < MIN_RUNS) return undefined
    // What every job takes, whatever its size.
    const leastMs = this.#runs.reduce((least, { ms }) => Math.min(least, ms), Number.POSITIVE_INFINITY)
    return middle(nearest.map((run) => leastMs + (run.ms - leastMs) * Math.exp(size - run.size)))
  }
}

/** The logarithm of the number of shots of all executions. */
function sizeOf({ shots, executions }: JobSize): number {
  return Math.log(Math.max(1, shots) * Math.max(1, executions))
}

function middle(times: readonly number[]): number | undefined {
  return times.toSorted((one, other) => one - other)[times.length >> 1]
}
