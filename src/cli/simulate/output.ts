import { HOUR_MS, MINUTE_MS, toTimestamp } from '../../base/index.ts'
import type { Recording } from '../../db/recording/index.ts'
import { CLASSES, type Figures, POLICIES } from '../../server/index.ts'

/** The figures of one policy; `policy` undefined = as recorded. */
export interface PolicyResult {
  name: string
  policy: { name: string; idleMs: number } | undefined
  figures: Figures
}

/** Prints waiting times and utilization as two tables, and explains the policies. */
export function printResults(recording: Recording, results: readonly PolicyResult[]): void {
  const { jobs, qpus, slots, from, to } = recording
  const span = `${toTimestamp(from)} to ${toTimestamp(to)}`
  console.log(
    `${count(jobs.length, 'job')} of ${count(countUsers(recording), 'user')} on ${count(qpus.length, 'QPU')}`,
  )
  console.log(`${span}, ${count(slots.length, 'booking')}\n`)
  const waits = results.flatMap(({ name, figures }) =>
    CLASSES.map((each, place) => {
      const { jobs: started, mean, p50, p90, p99, never } = figures.waits[each]
      const times = [mean, p50, p90, p99].map(shownTime)
      return [place === 0 ? name : '', each, String(started), ...times, String(never)]
    }),
  )
  printTable(['Wait until start', 'class', 'jobs', 'mean', 'p50', 'p90', 'p99', 'never'], waits)
  console.log()
  printTable(
    ['Utilization', ...qpus.map(({ qpu }) => qpu.name)],
    results.map(({ name, figures }) => [name, ...figures.utilization.map(({ share }) => shownShare(share))]),
  )
  const used = POLICIES.filter(({ name }) => results.some(({ policy }) => policy?.name === name))
  console.log(`\n${used.map(({ name, help }) => `${name}: ${help}`).join('\n')}`)
}

/** The same as a JSON document: times in ms, utilization from 0 to 1, null where there is no value. */
export function toDocument(recording: Recording, results: readonly PolicyResult[]) {
  const { jobs, qpus, slots, from, to } = recording
  return {
    recording: {
      from: toTimestamp(from),
      to: toTimestamp(to),
      jobs: jobs.length,
      users: countUsers(recording),
      qpus: qpus.length,
      bookings: slots.length,
    },
    results: results.map(({ policy, figures }) => ({
      policy: policy?.name ?? 'recorded',
      idle_threshold_ms: policy?.idleMs ?? null,
      waits: Object.fromEntries(
        CLASSES.map((each) => {
          const { jobs: started, mean, p50, p90, p99, never } = figures.waits[each]
          return [each, { jobs: started, mean_ms: mean, p50_ms: p50, p90_ms: p90, p99_ms: p99, never }]
        }),
      ),
      utilization: Object.fromEntries(figures.utilization.map(({ qpu, share }) => [qpu, share])),
    })),
  }
}

function countUsers({ jobs }: Recording): number {
  return new Set(jobs.map(({ user }) => user)).size
}

function count(number: number, thing: string): string {
  return `${number} ${thing}${number === 1 ? '' : 's'}`
}

function shownTime(ms: number): string {
  if (Number.isNaN(ms)) return '–'
  if (ms < 1_000) return `${Math.round(ms)} ms`
  if (ms < 100_000) return `${(ms / 1_000).toFixed(1)} s`
  if (ms < 100 * MINUTE_MS) return `${(ms / MINUTE_MS).toFixed(1)} min`
  return `${(ms / HOUR_MS).toFixed(1)} h`
}

function shownShare(share: number): string {
  return Number.isFinite(share) ? `${(100 * share).toFixed(1)} %` : '–'
}

/** Columns as wide as their widest cell; the first to the left, the others to the right. */
function printTable(head: readonly string[], rows: readonly (readonly string[])[]): void {
  const lines = [head, ...rows]
  const widths = head.map((_, column) => Math.max(...lines.map((cells) => (cells[column] ?? '').length)))
  for (const cells of lines) {
    const padded = cells.map((cell, column) => {
      const width = widths[column] ?? 0
      return column === 0 ? cell.padEnd(width) : cell.padStart(width)
    })
    console.log(padded.join('  ').trimEnd())
  }
}
