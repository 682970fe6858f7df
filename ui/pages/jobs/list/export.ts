import type { Job } from '../../../api/model/jobs.ts'
import { countsOfResult } from '../../../jobs/counts.ts'
import { warningsOf } from '../../../jobs/jobs.ts'

/** Jobs as JSON text. */
export function toJson(jobs: readonly Job[]): string {
  return `${JSON.stringify(jobs, null, 2)}\n`
}

const HEAD = 'job,name,status,qpu,shots,submitted,seconds,circuit,outcome,count,warnings,recalled'

/** Stands for counts that a result omits and that a page does not count. */
const TOO_LARGE = { 'in the memory of the results': '' }

/** Jobs as comma-separated text: a row per outcome, or one for a job without counts. */
export function toJobsCsv(jobs: readonly Job[], qpuName: (id: string) => string): string {
  const rows = jobs.flatMap((job) => {
    const { id, name, status, qpu, qpu_target, shots, created, duration } = job
    const facts = [id, name, status, qpuName(qpu || qpu_target || ''), shots ?? '', created, duration ?? '']
    const circuits = job.results?.circuit_results ?? []
    const counted = circuits.flatMap((result, index) => {
      const counts = countsOfResult(result) ?? (result.counts_omitted ? TOO_LARGE : {})
      const warnings = result.metadata?.warnings?.join('; ') ?? ''
      const recalled = job.recalled?.reason ?? ''
      return Object.entries(counts).map(([outcome, count]) => [
        ...[...facts, index + 1, outcome, count, warnings, recalled],
      ])
    })
    return counted.length > 0
      ? counted
      : [[...facts, '', '', '', warningsOf(job).join('; '), job.recalled?.reason ?? '']]
  })
  return `${[HEAD, ...rows.map((row) => row.map(quote).join(','))].join('\r\n')}\r\n`
}

/** Quotes a value, and keeps spreadsheets from running a name as a formula. */
function quote(value: unknown): string {
  const text = String(value ?? '')
  const safe = /^[=+\-@\t\r]/.test(text) ? `'${text}` : text
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe
}
