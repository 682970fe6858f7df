import type { Estimate, Job, PartialResults } from '../api/model/jobs.ts'
import { formatCount, formatNumberOf, formatSeconds, sentence, spellCount } from '../lib/format.ts'
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

/**
 * The seed of a job: the one that its device used, and until it has run the one that it asks for. Of an
 * option that the device did not read, nothing is shown.
 */
export function seedOf({
  status,
  payload,
  results,
}: Pick<Job, 'status' | 'payload' | 'results'>): number | undefined {
  const seed = status === 'completed' ? results?.circuit_results?.[0]?.metadata?.seed : payload?.seed
  return typeof seed === 'number' ? seed : undefined
}

/** The shots of each circuit of a job, in words; exact values have none. */
export function shotsOf({ payload, shots }: Pick<Job, 'payload' | 'shots'>): string {
  return payload?.exact ? 'none, exact values' : formatCount(payload?.shots ?? shots ?? 0)
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

/** A job as if it consisted of the circuits that have ended, in the order of the whole job. */
export function partOf(job: Job, found: PartialResults): Job {
  const executions = executionsOf(job)
  const ended = found.flatMap(({ index, result }) => {
    const execution = executions[index]
    return execution ? [{ index, result, ...execution }] : []
  })
  const inOrder = ended.toSorted((one, other) => one.index - other.index)
  const circuits = inOrder.map(({ text, values }) => ({ circuit: text, parameter_values: [[...values]] }))
  return {
    ...job,
    ...(job.payload && { payload: { ...job.payload, circuits } }),
    results: { error_code: '', circuit_results: inOrder.map(({ result }) => result) },
  }
}

const BASES: Readonly<Record<string, string>> = {
  same_program: 'earlier runs of the same programs',
  recent_jobs: 'the latest jobs of the QPU',
}

/** A range of seconds in words. */
export function secondsText({ from, to }: Estimate['qpu_seconds']): string {
  const [first, last] = [from, to].map((seconds) => formatSeconds(Number(seconds.toPrecision(2))))
  return first === last ? `≈ ${last}` : `${first} to ${last}`
}

/** Whether an estimate rests on jobs that have run; one without them is a guess that no page shows. */
export function isMeasured({ basis }: Estimate): boolean {
  return basis !== 'assumed'
}

/** On what an estimate is based, in words. */
export function basisText({ basis }: Estimate): string {
  return BASES[basis] ?? basis
}
