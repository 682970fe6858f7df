import type { AnyCollection, Rules } from '../../db/index.ts'
import { users } from '../../db/store/accounts/index.ts'
import { quantumJobs } from '../../db/store/jobs/index.ts'
import type { Config } from '../config/settings.ts'

/** Settings that change rules. */
type RuleSettings = Pick<Config, 'jobsVisibility' | 'allowSignup' | 'disableEmailPasswordAuth'>

const OWN_JOBS = '@request.auth.id != "" && user_id = @request.auth.id'
const SIGN_UP = '@request.body.qpu_seconds:isset = false && @request.body.api_tokens:isset = false'

/** The rules in force: the declared ones, except where a setting overrides them. */
export function rulesInForce(config: RuleSettings): (collection: AnyCollection) => Rules {
  const changed = new Map<string, Rules>()
  if (config.jobsVisibility === 'owner') {
    changed.set(quantumJobs.name, { ...quantumJobs.rules, list: OWN_JOBS, view: OWN_JOBS })
  }
  // Without password login, an account that has only a password would be unusable.
  if (config.allowSignup && !config.disableEmailPasswordAuth) {
    changed.set(users.name, { ...users.rules, create: SIGN_UP })
  }
  return (collection) => changed.get(collection.name) ?? collection.rules
}
