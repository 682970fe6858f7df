import { fromTimestamp, toTimestamp } from '../../../base/index.ts'
import { COMPLETED_HERE } from '../../collections/quantum_jobs.ts'
import type { ReadTx } from '../../records/tx.ts'

/** A time in which a QPU ran jobs, of whomever. */
interface JobTick {
  qpu: string
  /** UTC text. */
  start: string
  /** UTC text; '' = the job is running. */
  end: string
}

/** Where and how finely ticks are read; times are UTC text, `to` excluded. */
interface TickRange {
  from: string
  to: string
  /** Maximum number of ticks: the range is divided into as many parts, and jobs within a part are merged. */
  most: number
}

/**
 * The times in which a QPU ran jobs, in order. The cost depends on `most`, not on the number of jobs: four
 * seeks in the indexes of jobs and attempts by QPU and end for each part of the range in which a job ended.
 */
export function readJobTicks(tx: ReadTx, qpu: string, { from, to, most }: TickRange): JobTick[] {
  const first = msOf(from)
  const step = Math.max(1, Math.ceil((msOf(to) - first) / most))
  const ticks: JobTick[] = []
  for (let after = from; ; ) {
    const job = endedAfter(tx, qpu, after)
    if (!job || job.start >= to) break
    const partEnd = toTimestamp(first + Math.ceil((msOf(job.end) - first) / step) * step)
    addTick(ticks, { qpu, start: max(job.start, from), end: lastEnd(tx, qpu, partEnd) }, step)
    after = partEnd
  }
  const running = tx.one<{ start: string }>(
    `SELECT claimed_at AS start FROM quantum_jobs WHERE status = 'running' AND qpu = $qpu`,
    { qpu },
  )
  const isInRange = running !== undefined && running.start < to && from <= tx.at
  return isInRange ? [...ticks, { qpu, start: max(running.start, from), end: '' }] : ticks
}

/**
 * The times (UTC text) at which jobs failed on a QPU, in order: the first one of each part of the range. The
 * cost depends on `most`: one seek in the index of failed attempts for each part in which a job failed.
 */
export function readFailures(tx: ReadTx, qpu: string, { from, to, most }: TickRange): string[] {
  const first = msOf(from)
  const step = Math.max(1, Math.ceil((msOf(to) - first) / most))
  const failures: string[] = []
  for (let after = from; ; ) {
    const failed = failedAfter(tx, qpu, after)
    if (failed === undefined || failed >= to) return failures
    failures.push(failed)
    after = toTimestamp(first + Math.ceil((msOf(failed) - first) / step) * step)
  }
}

/** The first end of a failed attempt after a time. */
function failedAfter(tx: ReadTx, qpu: string, after: string): string | undefined {
  const row = tx.one<{ end: string }>(
    `SELECT ended_at AS "end" FROM job_attempts
     WHERE qpu = $qpu AND state IN ('error', 'lost') AND ended_at > $after ORDER BY ended_at LIMIT 1`,
    { qpu, after },
  )
  return row?.end
}

/** Adds a tick, or extends the last one if the pause between them is shorter than a part. */
function addTick(ticks: JobTick[], tick: JobTick, step: number): void {
  const last = ticks.at(-1)
  if (last && msOf(tick.start) - msOf(last.end) < step) last.end = tick.end
  else ticks.push(tick)
}

/** The first attempt that ended after a time. */
function endedAfter(tx: ReadTx, qpu: string, after: string): { start: string; end: string } | undefined {
  return tx.one(
    `SELECT start, "end" FROM (${part('qpu = $qpu AND "end" > $after ORDER BY "end"')}) ticks ORDER BY "end" LIMIT 1`,
    { qpu, after },
  )
}

/** The last end of an attempt up to a time. */
function lastEnd(tx: ReadTx, qpu: string, until: string): string {
  const row = tx.one<{ end: string }>(
    `SELECT "end" FROM (${part('qpu = $qpu AND "end" <= $until ORDER BY "end" DESC')}) ticks ORDER BY "end" DESC LIMIT 1`,
    { qpu, until },
  )
  return row?.end ?? until
}

/** The first of the completed jobs and of the other attempts; `which` is the condition and the order. */
function part(which: string): string {
  const of = (ended: string, source: string) =>
    `SELECT * FROM (SELECT claimed_at AS start, ${ended} AS "end" FROM ${source} AND ${which.replaceAll('"end"', ended)} LIMIT 1) first`
  return `${of('finished_at', `quantum_jobs WHERE ${COMPLETED_HERE}`)} UNION ALL ${of('ended_at', 'job_attempts WHERE TRUE')}`
}

function msOf(at: string): number {
  return fromTimestamp(at) ?? Number.NaN
}

function max(one: string, other: string): string {
  return one > other ? one : other
}
