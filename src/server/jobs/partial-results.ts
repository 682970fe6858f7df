import * as v from 'valibot'
import { JsonText } from '../../db/index.ts'
import { listPartialResults } from '../../db/store/jobs/index.ts'
import { circuitResult } from '../../protocol/index.ts'
import type { ServerContext } from '../context.ts'
import type { Caller } from '../http/caller.ts'
import { described, shape } from '../http/schema.ts'
import { findAccessible } from './view.ts'

const count = v.pipe(v.number(), v.integer())

/** The results of a job that has not completed: see `viewPartialResults`. */
export const partialResultsResponse = shape('PartialResults', {
  status: v.string(),
  attempt: described(count, 'The attempt that they belong to'),
  progress: described(v.number(), 'Part of the job that this attempt has done, 0 to 1'),
  complete: described(
    v.boolean(),
    'Whether the job has completed: `results` of the job has all, and none is listed here',
  ),
  results: v.array(
    v.object({
      index: described(count, 'Position in `circuit_results` of the complete results'),
      result: v.pipe(circuitResult, v.title('CircuitResult')),
    }),
  ),
  next: described(count, '`after` for those that arrive later'),
})

/** More than one attempt can have: `next` says how many results of which attempt are known. */
const RESULTS_OF_ATTEMPT = 2 ** 24

/**
 * The results of single circuits of a job that runs, has failed or waits for another attempt, in the order of
 * their arrival; `after`: without the first ones.
 * @throws AppError `not_found`, also for jobs of other users.
 */
export function viewPartialResults(
  { db }: Pick<ServerContext, 'db'>,
  caller: Caller,
  { id, after }: { id: string; after: number },
) {
  return db.read((tx) => {
    const { status, attempt, progress } = findAccessible(tx, caller, id)
    const first = Math.max(0, attempt - 1) * RESULTS_OF_ATTEMPT
    // What was read of an earlier attempt is no part of this one.
    const known = Math.max(0, after - first)
    const found = listPartialResults(tx, id, known)
    const results = found.map(({ index, text }) => ({ index, result: new JsonText(text) }))
    return {
      status,
      attempt,
      progress,
      complete: status === 'completed',
      results,
      next: first + known + found.length,
    }
  })
}
