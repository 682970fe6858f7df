import { fromTimestamp, toTimestamp } from '../../base/index.ts'
import { qpus } from '../collections/qpus.ts'
import { INSERTION_ORDER } from '../engine/dialect.ts'
import { eventNameSql, eventsSql } from '../journal/timeline.ts'
import type { ReadTx } from '../records/tx.ts'
import { ATTEMPTS } from '../store/jobs/attempts.ts'
import type { JobNeeds } from '../store/jobs/fits-qpu.ts'
import type {
  RecordedAttempt,
  RecordedJob,
  RecordedQpu,
  RecordedSlot,
  RecordedUser,
  Recording,
} from './recording.ts'
import { type RecordingSource, withSource } from './source.ts'

/** The submissions to read, in ms since the epoch; `until` itself is excluded. */
export interface RecordedSpan {
  since?: number | undefined
  until?: number | undefined
}

/**
 * Reads a recording from one snapshot of a database, even of one that a server uses.
 * @throws AppError as `withSource` does.
 */
export function readRecording(source: RecordingSource, span: RecordedSpan = {}): Recording {
  return withSource(source, (tx) => {
    const jobs = readJobs(tx, span)
    const slots = readSlots(tx)
    const ends = jobs.flatMap(({ attempts }) => attempts.map(({ startedAt, ms }) => startedAt + ms))
    return {
      from: jobs[0]?.submittedAt ?? 0,
      to: Math.max(
        jobs.at(-1)?.submittedAt ?? 0,
        ends.reduce((one, other) => Math.max(one, other), 0),
      ),
      users: readUsers(tx, span),
      qpus: readQpus(tx),
      slots,
      jobs,
    }
  })
}

const IN_SPAN = 'job.created >= $since AND job.created < $until'

function spanParams({ since, until }: RecordedSpan) {
  return {
    since: since === undefined ? '' : toTimestamp(since),
    until: until === undefined ? END_OF_TIME : toTimestamp(until),
  }
}

/** Greater than every stored time. */
const END_OF_TIME = '9999'

interface JobRow extends JobNeeds {
  id: string
  user_id: string
  qpu_target: string
  created: string
  status: string
  driver_qpu: string
  started_at: string
  finished_at: string
  charged: number
}

function readJobs(tx: ReadTx, span: RecordedSpan): RecordedJob[] {
  const attempts = readAttempts(tx)
  const actions = readActions(tx)
  return tx
    .all<JobRow>(
      `SELECT job.id, job.user_id, job.qpu_target, job.created, job.status, job.started_at,
         job.qubits, job.shots, job.executions, job.features, job.finished_at, coalesce(drivers.qpu, job.qpu_target) AS driver_qpu,
         coalesce(-charge.delta_ms, 0) AS charged
       FROM quantum_jobs job LEFT JOIN drivers ON drivers.id = job.driver
         LEFT JOIN qpu_ledger charge ON charge.kind = 'charge' AND charge.source_id = job.id
       WHERE ${IN_SPAN} ORDER BY job.created, job.seq`,
      spanParams(span),
    )
    .map((row) => ({
      id: row.id,
      user: row.user_id,
      target: row.qpu_target,
      needs: needsOf(row),
      submittedAt: msOf(row.created),
      cancelledAt: row.status === 'cancelled' ? msOf(row.finished_at) : undefined,
      actions: actions.get(row.id) ?? [],
      attempts: charged(attempts.get(row.id) ?? importedAttempt(row), row),
    }))
}

function needsOf({ qubits, shots, executions, features }: JobRow): JobNeeds {
  return { qubits, shots, executions, features }
}

/** The last attempt is the charged one. */
function charged(attempts: RecordedAttempt[], { charged: ms }: JobRow): RecordedAttempt[] {
  const last = attempts.at(-1)
  if (last) last.chargedMs = ms
  return attempts
}

/** A job of another installation was imported without its attempts. */
function importedAttempt(row: JobRow): RecordedAttempt[] {
  if (row.started_at === '' || row.finished_at === '') return []
  const startedAt = msOf(row.started_at)
  return [
    {
      qpu: row.driver_qpu,
      startedAt,
      ms: Math.max(0, msOf(row.finished_at) - startedAt),
      end: 'ok',
      chargedMs: 0,
    },
  ]
}

interface AttemptRow {
  job: string
  qpu: string
  state: RecordedAttempt['end']
  claimed_at: string
  ended_at: string
}

/** Attempts that have ended; undelivered ones are not included. */
function readAttempts(tx: ReadTx): Map<string, RecordedAttempt[]> {
  const rows = tx.all<AttemptRow>(
    `SELECT job, qpu, state, claimed_at, ended_at FROM ${ATTEMPTS} tried
     WHERE state IN ('ok', 'error', 'lost', 'requeued') ORDER BY job, attempt`,
  )
  const attempts = new Map<string, RecordedAttempt[]>()
  for (const { job, qpu, state, claimed_at, ended_at } of rows) {
    const startedAt = msOf(claimed_at)
    const one: RecordedAttempt = {
      qpu,
      startedAt,
      ms: Math.max(0, msOf(ended_at) - startedAt),
      end: state,
      chargedMs: 0,
    }
    const known = attempts.get(job)
    if (known) known.push(one)
    else attempts.set(job, [one])
  }
  return attempts
}

function readActions(tx: ReadTx): Map<string, RecordedJob['actions']> {
  const rows = tx.all<{ job: string; at: string; event: RecordedJob['actions'][number]['act'] }>(
    `SELECT job.id AS job, ${tx.dialect.jsonAt('event.value', "'$[0]'")} AS at, ${eventNameSql(tx.dialect, 'event')} AS event
     FROM quantum_jobs job, ${eventsSql(tx.dialect, 'job')} event
     WHERE ${eventNameSql(tx.dialect, 'event')} IN ('held', 'released', 'moved_to_front') ORDER BY job.seq, event.key`,
  )
  return Map.groupBy(rows, ({ job }) => job)
    .entries()
    .reduce(
      (actions, [job, its]) =>
        actions.set(
          job,
          its.map(({ at, event }) => ({ at: msOf(at), act: event })),
        ),
      new Map(),
    )
}

function readUsers(tx: ReadTx, span: RecordedSpan): RecordedUser[] {
  const users = new Map(
    tx
      .all<{ id: string; unlimited: number }>('SELECT id, unlimited FROM users')
      .map(({ id, unlimited }): [string, RecordedUser] => [
        id,
        { id, unlimited: unlimited === 1, credits: [] },
      ]),
  )
  const credits = tx.all<{ user: string; at: string; delta_ms: number }>(
    `SELECT "user", at, delta_ms FROM qpu_ledger entry WHERE kind <> 'charge' OR NOT EXISTS
       (SELECT 1 FROM quantum_jobs job WHERE job.id = entry.source_id AND ${IN_SPAN}) ORDER BY at, source_id`,
    spanParams(span),
  )
  for (const { user, at, delta_ms } of credits)
    users.get(user)?.credits.push({ at: msOf(at), deltaMs: delta_ms })
  return [...users.values()]
}

function readSlots(tx: ReadTx): RecordedSlot[] {
  return tx
    .all<{ booked_by: string; qpu: string; start_time: string; end_time: string; created: string }>(
      'SELECT booked_by, qpu, start_time, end_time, created FROM time_slots ORDER BY start_time, seq',
    )
    .map((row) => ({
      user: row.booked_by,
      qpu: row.qpu,
      start: msOf(row.start_time),
      end: msOf(row.end_time),
      bookedAt: msOf(row.created),
    }))
}

function readQpus(tx: ReadTx): RecordedQpu[] {
  const leases = tx.all<{ qpu: string }>(
    `SELECT qpu FROM leases WHERE operation = 'process' ORDER BY ${INSERTION_ORDER}`,
  )
  const places = new Map(leases.map(({ qpu }, place) => [qpu, place]))
  return tx
    .list(qpus, { sort: 'created' })
    .toSorted((one, other) => (places.get(one.id) ?? -1) - (places.get(other.id) ?? -1))
    .map((qpu) => {
      const switched = readSwitches(tx, qpu.id)
      const ranAt = firstRun(tx, qpu.id)
      return {
        qpu: { ...qpu, ...stateBefore(qpu, switched, ranAt) },
        usedFrom: usedFrom(tx, qpu, ranAt),
        changes: [...switched, ...readCalibrations(tx, qpu.id)].sort((one, other) => one.at - other.at),
      }
    })
}

/** When a job was first claimed for a QPU, ms since the epoch. */
function firstRun(tx: ReadTx, qpu: string): number | undefined {
  const first = tx.one<{ at: string | null }>(
    `SELECT min(claimed_at) AS at FROM ${ATTEMPTS} tried WHERE qpu = $qpu`,
    {
      qpu,
    },
  )?.at
  return first ? msOf(first) : undefined
}

function usedFrom(
  tx: ReadTx,
  { id, created }: RecordedQpu['qpu'],
  ranAt: number | undefined,
): number | undefined {
  if (ranAt !== undefined) return Math.min(ranAt, msOf(created))
  const lease = tx.one<{ epoch: number }>(
    "SELECT epoch FROM leases WHERE qpu = $id AND operation = 'process'",
    { id },
  )
  return lease?.epoch ? msOf(created) : undefined
}

/** The settings of a QPU that audited actions change, named as in their details. */
const SWITCHES = ['enabled', 'maintenance', 'draining'] as const
type Switches = Partial<Record<(typeof SWITCHES)[number], boolean>>

function readSwitches(tx: ReadTx, id: string): { at: number; patch: Switches }[] {
  return tx
    .all<{ at: string } & Record<keyof Switches, number | null>>(
      `SELECT at, ${SWITCHES.map((name) => `${tx.dialect.jsonFlag('detail', name)} AS ${name}`).join(', ')}
       FROM audit_log WHERE act IN ('qpu.toggle', 'qpu.maintenance', 'qpu.drain') AND subject = $id ORDER BY seq`,
      { id },
    )
    .map(({ at, ...turned }) => {
      const patch: Switches = {}
      for (const name of SWITCHES) if (turned[name] !== null) patch[name] = turned[name] === 1
      return { at: msOf(at), patch }
    })
}

/**
 * The state of a QPU before its first recorded change: neither in maintenance nor draining, and the opposite
 * of its first enabling or disabling, unless it had run jobs by then.
 */
function stateBefore(
  qpu: RecordedQpu['qpu'],
  changes: { at: number; patch: Switches }[],
  ranAt = Number.POSITIVE_INFINITY,
): Required<Switches> {
  const firstOf = (name: keyof Switches) => changes.find(({ patch }) => patch[name] !== undefined)
  const switched = firstOf('enabled')
  return {
    enabled: switched ? !switched.patch.enabled || ranAt < switched.at : qpu.enabled,
    maintenance: !firstOf('maintenance') && qpu.maintenance,
    draining: !firstOf('draining') && qpu.draining,
  }
}

function readCalibrations(tx: ReadTx, qpu: string): RecordedQpu['changes'] {
  return tx
    .all<{ started_at: string; finished_at: string }>(
      `SELECT request.started_at, request.finished_at FROM calibration_requests request
       JOIN drivers ON drivers.id = request.driver
       WHERE drivers.qpu = $qpu AND request.started_at <> '' AND request.finished_at <> ''
       UNION ALL
       SELECT started_at, finished_at FROM calibration_results WHERE qpu = $qpu AND request = ''`,
      { qpu },
    )
    .flatMap(({ started_at, finished_at }) => [
      { at: msOf(started_at), patch: { isCalibrating: true } },
      { at: msOf(finished_at), patch: { isCalibrating: false } },
    ])
}

/** Converts a stored time; an empty one becomes the beginning of time. */
function msOf(at: string): number {
  return fromTimestamp(at) ?? 0
}
