import type { Job } from '../api/model/jobs.ts'
import { formatCount, formatNumberOf, sentence, spellCount } from '../lib/format.ts'
import { countsOfResult } from './counts.ts'
import { jobCondition } from './status.ts'

/** The sentence below the heading: how many of the user's jobs run and wait; undefined if none does. */
export function describeActivity(jobs: readonly Job[]): string | undefined {
  const running = jobs.filter(({ status }) => status === 'running').length
  const waiting = jobs.filter(({ status }) => status === 'pending').length
  const parts: string[] = []
  if (running > 0) parts.push(`${formatNumberOf(running, 'job')} ${running === 1 ? 'is' : 'are'} running`)
  if (waiting > 0) parts.push(`${formatNumberOf(waiting, 'job')} ${waiting === 1 ? 'is' : 'are'} waiting`)
  return parts.length === 0 ? undefined : `${sentence(parts.join(', '))}.`
}

/** The sentence below the heading of the list: `214 jobs, one running, two waiting.` */
export function describeTotals({
  all,
  running,
  pending,
}: {
  all: number
  running: number
  pending: number
}): string {
  const parts = [`${formatCount(all)} job${all === 1 ? '' : 's'}`]
  if (running > 0) parts.push(`${spellCount(running)} running`)
  if (pending > 0) parts.push(`${spellCount(pending)} waiting`)
  return `${parts.join(', ')}.`
}

/** Describes the status changes between two job lists in one sentence; undefined without a change. */
export function describeChanges(before: readonly Job[], after: readonly Job[]): string | undefined {
  const old = new Map(before.map(({ id, status }) => [id, status]))
  const changed = after.filter(({ id, status }) => old.has(id) && old.get(id) !== status)
  const [first] = changed
  if (!first) return undefined
  if (changed.length > 1) return `${sentence(formatNumberOf(changed.length, 'job'))} changed status.`
  return `Job ${first.id}: ${jobCondition({ status: first.status, queue_position: undefined }).word.toLowerCase()}.`
}

/** The warnings of the results of a job, each once. */
export function warningsOf(job: Job): string[] {
  const results = job.results?.circuit_results ?? []
  return [...new Set(results.flatMap(({ metadata }) => metadata?.warnings ?? []))]
}

/** Counts per circuit of a job; an entry is empty if the circuit has none (levels 0 and 1, too large). */
export function countsOf(job: Job): Record<string, number>[] {
  return (job.results?.circuit_results ?? []).map((result) => countsOfResult(result) ?? {})
}

/** A program of a job with the values of its inputs. */
export interface Execution {
  text: string
  values: readonly number[]
}

/** What each result of a job is that of, in their order: each program with each of its parameter sets. */
export function executionsOf({ payload }: Pick<Job, 'payload'>): Execution[] {
  return (payload?.circuits ?? []).flatMap(({ circuit, parameter_values: sets }) =>
    (sets && sets.length > 0 ? sets : [[]]).map((values) => ({ text: circuit, values })),
  )
}
