import { defineCommand } from 'citty'
import { formatDuration, fromTimestamp, messageOf, parseDuration, toTimestamp } from '../../base/index.ts'
import { type Recording, readRecording } from '../../db/index.ts'
import { asRecorded, POLICIES, type Policy, PolicyComparison, replay } from '../../server/index.ts'
import { type Flags, readFlags, UsageError } from '../command-line/flags.ts'
import { type Judged, printJudged, toJson } from './output.ts'

const COMMAND = 'svc simulate'

const args = {
  from: {
    type: 'string',
    valueHint: 'file',
    description: 'Database, backup or folder of a server, which may run; it is only read',
  },
  policy: {
    type: 'string',
    valueHint: 'names',
    description: `Policies to compare (default ${POLICIES.map(({ name }) => name).join()}); the output explains them`,
  },
  'idle-threshold': {
    type: 'string',
    valueHint: 'times',
    description: 'Idle thresholds to compare, such as 0s,5s,30s (default 5s)',
  },
  since: { type: 'string', valueHint: 'time', description: 'First submission, such as 2026-01-31 (UTC)' },
  until: { type: 'string', valueHint: 'time', description: 'Only submissions before this time' },
  json: { type: 'boolean', description: 'Print JSON instead of tables; times in ms' },
} as const

export const simulateCommand = defineCommand({
  meta: {
    name: 'simulate',
    description: 'Replay recorded submissions under other scheduling policies and compare how long jobs wait',
  },
  args,
  run({ rawArgs }) {
    const flags = readFlags(COMMAND, rawArgs, args)
    const from = flags['from']
    if (typeof from !== 'string')
      throw new UsageError(`${COMMAND}: missing --from; name a database or a backup`)
    const runs = readRuns(flags)
    const span = { since: readTime(flags, 'since'), until: readTime(flags, 'until') }
    const recording = readRecording(from, span)
    if (recording.jobs.length === 0) {
      const [since, until] = [span.since, span.until].map((at) => (at === undefined ? '' : toTimestamp(at)))
      const when = `${since && ` since ${since}`}${until && ` until ${until}`}`
      throw new Error(`${from} has no jobs${when}; there is nothing to simulate`)
    }
    const judged = judgeAll(recording, runs)
    if (flags['json'] === true) console.log(JSON.stringify(toJson(recording, judged), undefined, 2))
    else printJudged(recording, judged)
  },
})

interface Run {
  policy: Policy
  idleMs: number
}

/** Every policy with every threshold; once where none is used. */
function readRuns(flags: Flags): Run[] {
  const thresholds = listOf(flags['idle-threshold'] ?? '5s').map((text) => {
    try {
      return parseDuration(text)
    } catch (error) {
      throw new UsageError(`${COMMAND}: --idle-threshold: ${messageOf(error)}`)
    }
  })
  const all = POLICIES.map(({ name }) => name)
  return listOf(flags['policy'] ?? all.join()).flatMap((name) => {
    const policy = POLICIES.find((each) => each.name === name)
    if (!policy)
      throw new UsageError(`${COMMAND}: --policy "${name}" is none; expected one of ${all.join(', ')}`)
    return (policy.respectsBookings ? thresholds : [0]).map((idleMs) => ({ policy, idleMs }))
  })
}

function listOf(value: string | boolean | string[]): string[] {
  const names = String(value).split(',')
  return [...new Set(names.map((name) => name.trim()))]
}

function readTime(flags: Flags, name: 'since' | 'until'): number | undefined {
  const text = flags[name]
  if (typeof text !== 'string') return undefined
  const at = fromTimestamp(text)
  if (at !== undefined) return at
  throw new UsageError(
    `${COMMAND}: --${name} "${text}": expected a time such as 2026-01-31 or 2026-01-31 09:00Z`,
  )
}

function judgeAll(recording: Recording, runs: readonly Run[]): Judged[] {
  const judge = new PolicyComparison(recording)
  const recorded: Judged = {
    name: 'recorded',
    policy: undefined,
    figures: judge.measure(asRecorded(recording)),
  }
  const simulated = runs.map(({ policy, idleMs }): Judged => {
    const name = policy.respectsBookings ? `${policy.name} ${formatDuration(idleMs)}` : policy.name
    const played = replay(recording, { policy, idleMs, onProgress: progressOf(name, recording.jobs.length) })
    return { name, policy: { name: policy.name, idleMs }, figures: judge.measure(played) }
  })
  clearProgress()
  return [recorded, ...simulated]
}

/** Shows on a terminal how far a run is; in a file or a pipe it would only disturb. */
function progressOf(name: string, jobs: number): (ended: number) => void {
  return (ended) => {
    if (!process.stderr.isTTY) return
    process.stderr.write(`\r${name}: ${Math.floor((100 * ended) / jobs)} % of ${jobs} jobs\u001b[K`)
  }
}

function clearProgress(): void {
  if (process.stderr.isTTY) process.stderr.write('\r\u001b[K')
}
