import { flag, formatDuration, kinds, MINUTE_MS, requiredFlag, toTimestamp } from '../../base/index.ts'
import { type Recording, readRecording } from '../../db/recording/index.ts'
import { asRecorded, POLICIES, type Policy, PolicyComparison, replay } from '../../server/index.ts'
import { defineCommand } from '../command-line/command.ts'
import { moment } from '../command-line/time-kinds.ts'
import { type PolicyResult, printResults, toDocument } from './output.ts'

const { choice, duration, nonEmptyList, text } = kinds
const POLICY_NAMES = POLICIES.map(({ name }) => name)

export const simulateCommand = defineCommand({
  summary: 'Replay recorded submissions under other scheduling policies and compare waiting times',
  flags: {
    from: requiredFlag(
      text('file'),
      'Database, backup or data folder; it is only read, also while the server runs',
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
  run({ flags: { from, policy, idleThreshold, fairWindow, since, until } }) {
    const recording = readRecording(from, { since, until })
    if (recording.jobs.length === 0) {
      const [first, last] = [since, until].map((at) => (at === undefined ? '' : toTimestamp(at)))
      const span = `${first && ` since ${first}`}${last && ` until ${last}`}`
      throw new Error(`${from} has no jobs${span}; there is nothing to simulate`)
    }
    const results = compareAll(recording, runsOf(policy, idleThreshold), fairWindow)
    return { recording, results }
  },
  document: ({ recording, results }) => toDocument(recording, results),
  print: ({ recording, results }) => printResults(recording, results),
})

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
