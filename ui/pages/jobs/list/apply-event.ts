import * as v from 'valibot'
import { job as schema } from '../../../api/model/jobs.ts'
import type { LiveEvent } from '../../../api/model/live.ts'
import type { Qpu } from '../../../api/model/qpus.ts'
import { isListed } from './filters.ts'
import type { JobPages } from './job-pages.ts'

const changed = v.partial(schema)
const SHOWN = [
  'name',
  'tags',
  'status',
  'held',
  'qpu',
  'qpu_target',
  'started_at',
  'finished_at',
  'duration',
  'attempt',
] as const

/** What a list has, and what is known of the QPUs that its jobs name. */
interface Listing {
  /** As of `requestFilters`. */
  filters: string
  qpus: readonly Pick<Qpu, 'id' | 'name' | 'recalled_calibration'>[]
}

/**
 * Applies an event to its row; returns false if the list has to be loaded again, because a job has come into
 * it or left it, or may show what events do not have: that its result is recalled.
 */
export function applyEvent(
  pages: Pick<JobPages, 'loaded' | 'change'>,
  { filters, qpus }: Listing,
  { action, record }: LiveEvent,
): boolean {
  const parsed = v.safeParse(changed, record)
  if (action !== 'update' || !parsed.success) return false
  const changes = Object.fromEntries(
    SHOWN.flatMap((name) => (name in record ? [[name, parsed.output[name]]] : [])),
  )
  const before = pages.loaded().find(({ id }) => id === record.id)
  const isLoaded = pages.change(record.id, changes)
  if (!before) return false
  const after = { ...before, ...changes }
  const isRecalled = qpus.some(({ id, recalled_calibration: found }) => found && id === after.qpu)
  const mayBeMarked = after.status === 'completed' && (before.status === 'completed' || isRecalled)
  return isLoaded && !mayBeMarked && isListed(after, new URLSearchParams(filters), qpus)
}
