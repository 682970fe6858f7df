import type { RouteErrors } from '../../http/route.ts'

/** The reasons for which a submission is refused, as a job or as a record. */
export const SUBMISSION_ERRORS: RouteErrors = {
  check_too_long: 400,
  account_disabled: 403,
  insufficient_qpu_seconds: 403,
  other_qpu: 403,
  session_closed: 409,
  too_many_pending_jobs: 409,
  larger_than_quota: 413,
  idempotency_key_reused: 422,
  session_not_found: 422,
  session_of_other_qpu: 422,
  maintenance: 503,
  qpu_disabled: 503,
  too_many_large_programs: 503,
  quota_used_up: 507,
}
