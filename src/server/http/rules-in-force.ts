import { type AnyCollection, quantumJobs, type Rules } from '../../db/index.ts'
import type { Config } from '../config.ts'

const OWN_JOBS = 'user_id = @request.auth.id'

/** The rules of each collection: the declared ones, except where a setting replaces them. */
export function rulesInForce({
  jobsVisibility,
}: Pick<Config, 'jobsVisibility'>): (collection: AnyCollection) => Rules {
  return (collection) =>
    collection.name === quantumJobs.name && jobsVisibility === 'owner'
      ? { ...collection.rules, list: OWN_JOBS, view: OWN_JOBS }
      : collection.rules
}
