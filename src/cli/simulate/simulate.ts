import { relative } from 'node:path'
import {
  AppError,
  flag,
  formatDuration,
  type GivenFlags,
  kinds,
  MINUTE_MS,
  toTimestamp,
} from '../../base/index.ts'
import { DATABASE_FILE } from '../../db/index.ts'
import {
  type RecordedSpan,
  type Recording,
  type RecordingSource,
  readRecording,
} from '../../db/recording/index.ts'
import { asRecorded, POLICIES, type Policy, PolicyComparison, replay } from '../../server/index.ts'
import { defineCommand } from '../command-line/command.ts'
import { DATABASE_SETTINGS, placeOf } from '../command-line/database.ts'
import { loadConfig } from '../command-line/server-config.ts'
import { moment } from '../command-line/time-kinds.ts'
import { UsageError } from '../command-line/usage-error.ts'
import { type PolicyResult, printResults, toDocument } from './output.ts'

const { choice, duration, nonEmptyList, text } = kinds
const POLICY_NAMES = POLICIES.map(({ name }) => name)

export const simulateCommand = defineCommand({
  summary: 'Replay recorded submissions under other scheduling policies and compare waiting times',
  flags: {
    from: flag(
      text('file'),
      'Database, backup or data folder to read, also while the server runs; if unset, the configured one',
    ),
    policy: flag(nonEmptyList(choice(POLICY_NAMES)), 'Policies to compare; the output explains them', {
      default: POLICY_NAMES.join(','),
    }),
    idleThreshold: flag(nonEmptyList(duration()), 'Idle thresholds to compare, such as 0s,5s,30s', {
      default: '5s',
    }),
    fairWindow: flag(duration(MINUTE_MS), 'Window of the policy fair, as --fair-window of svc serve', {
      default: '24h',
    }),
    since: flag(moment(), 'Only submissions since this time, such as 2026-01-31 (UTC)'),
    until: flag(moment(), 'Only submissions before this time'),
  },
  settings: DATABASE_SETTINGS,
  run({ flags: { from, policy, idleThreshold, fairWindow, since, until }, given }) {
    const { source, name } = sourceOf(from, given)
    const recording = readSource(source, { since, until })
    if (recording.jobs.length === 0) {
      const [first, last] = [since, until].map((at) => (at === undefined ? '' : toTimestamp(at)))
      const span = `${first && ` since ${first}`}${last && ` until ${last}`}`
      throw new Error(`${name} has no jobs${span}; there is nothing to simulate`)
    }
    const results = compareAll(recording, runsOf(policy, idleThreshold), fairWindow)
    return { recording, results }
  },
  document: ({ recording, results }) => toDocument(recording, results),
  print: ({ recording, results }) => printResults(recording, results),
})

/** @throws AppError as `readRecording` does; for a folder without a database it names the options. */
function readSource(source: RecordingSource, span: RecordedSpan): Recording {
  try {
    return readRecording(source, span)
  } catch (error) {
    const isGiven = !('dir' in source)
    if (isGiven || !(error instanceof AppError) || error.reason !== 'no_database') throw error
    const remedy = 'name a data folder by --dir, a file by --from or a server by --database'
    throw new AppError('not_found', `${error.message}; ${remedy}`, { reason: error.reason, cause: error })
  }
}

/**
 * The database to read.
 * @throws UsageError for a file beside `--database`, and for the file that a database on PostgreSQL has
 *   replaced; AppError as `loadConfig` does.
 */
function sourceOf(from: string | undefined, given: GivenFlags): { source: RecordingSource; name: string } {
  // Flags of this command have the names of other settings.
  const config = loadConfig(
    Object.fromEntries(Object.entries(given).filter(([name]) => name in DATABASE_SETTINGS)),
  )
  if (from === undefined) return { source: placeOf(config), name: config.database || config.dir }
  if (given['database'] !== undefined) throw new UsageError('--from and --database name two databases')
  if (config.database !== '' && ['', DATABASE_FILE].includes(relative(config.dir, from))) {
    throw new UsageError(`${from} is out of use: the configured database is on PostgreSQL; leave out --from`)
  }
  return { source: { path: from }, name: from }
}

interface Run {
  policy: Policy
  idleMs: number
}

/** Every policy with every threshold; policies without thresholds once. */
function runsOf(names: readonly string[], thresholds: readonly number[]): Run[] {
  const policies = [...new Set(names)].flatMap((name) => POLICIES.filter((each) => each.name === name))
  return policies.flatMap((policy) =>
    (policy.respectsBookings ? [...new Set(thresholds)] : [0]).map((idleMs) => ({ policy, idleMs })),
  )
}

function compareAll(recording: Recording, runs: readonly Run[], fairWindowMs: number): PolicyResult[] {
  const comparison = new PolicyComparison(recording)
  const recorded: PolicyResult = {
    name: 'recorded',
    policy: undefined,
    figures: comparison.measure(asRecorded(recording)),
  }
  const simulated = runs.map(({ policy, idleMs }): PolicyResult => {
    const name = policy.respectsBookings ? `${policy.name} ${formatDuration(idleMs)}` : policy.name
    const onProgress = progressOf(name, recording.jobs.length)
    const played = replay(recording, { policy, idleMs, fairWindowMs, onProgress })
    return { name, policy: { name: policy.name, idleMs }, figures: comparison.measure(played) }
  })
  clearProgress()
  return [recorded, ...simulated]
}

/** Shows the progress of a run on a terminal; prints nothing into a file or a pipe. */
function progressOf(name: string, jobs: number): (ended: number) => void {
  return (ended) => {
    if (!process.stderr.isTTY) return
    process.stderr.write(`\r${name}: ${Math.floor((100 * ended) / jobs)} % of ${jobs} jobs\u001b[K`)
  }
}

function clearProgress(): void {
  if (process.stderr.isTTY) process.stderr.write('\r\u001b[K')
}
