import type { CircuitResult, Job } from '../../../api/model/jobs.ts'
import { countsOfResult } from '../../../jobs/counts.ts'
import { csvText } from '../../../lib/save-file.ts'

/** Responses of the API as one JSON list, each as it was received. */
export function toJson(jobs: readonly BlobPart[]): Blob {
  const parts = jobs.flatMap((job, at) => (at === 0 ? [job] : [',\n', job]))
  return new Blob(['[\n', ...parts, '\n]\n'], { type: 'application/json' })
}

const FACTS = ['job', 'name', 'status', 'qpu', 'shots', 'submitted', 'seconds']
const COLUMNS = ['circuit', 'outcome', 'count', 'warnings', 'recalled', 'probability', 'observable', 'mean']

/** The names of the columns of `jobRows`. */
export const JOBS_HEAD = csvText([[...FACTS, ...COLUMNS]])

/**
 * A job as rows of CSV: one per outcome or observable of each circuit, one for a circuit without any, and one
 * for a job without results.
 */
export function jobRows(job: Job, qpuName: (id: string) => string): string {
  const { id, name, status, qpu, qpu_target, shots, created, duration } = job
  const facts = [id, name, status, qpuName(qpu || qpu_target || ''), shots, created, duration]
  const recalled = job.recalled?.reason
  const circuits = job.results?.circuit_results ?? []
  if (circuits.length === 0) return csvText([[...facts, '', '', '', '', recalled, '', '', '']])
  const rows = circuits.flatMap((result, index) => {
    const warnings = result.metadata?.warnings?.join('; ')
    return valuesOf(result).map(({ outcome, count, probability, observable, mean }) => [
      ...[...facts, index + 1, outcome, count, warnings, recalled],
      ...[probability, observable, mean],
    ])
  })
  return csvText(rows)
}

interface Value {
  outcome?: string
  count?: number
  probability?: number
  observable?: number
  mean?: number
}

/** Stands for counts that a result omits and that a page does not count. */
const TOO_LARGE = 'in the memory of the results'

/** What was found of a circuit; one without anything if it has only points, traces or discarded shots. */
function valuesOf(result: CircuitResult): Value[] {
  const { probabilities = {}, expectation_values: means = [] } = result
  const counts = countsOfResult(result)
  const values: Value[] = [
    ...Object.entries(counts ?? {}).map(([outcome, count]) => ({ outcome, count })),
    ...Object.entries(probabilities).map(([outcome, probability]) => ({ outcome, probability })),
    ...means.map((mean, observable) => ({ observable, mean })),
  ]
  if (!counts && result.counts_omitted) values.push({ outcome: TOO_LARGE })
  return values.length > 0 ? values : [{}]
}
