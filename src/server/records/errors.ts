import { CALIBRATION_ERRORS } from '../calibration/enqueue.ts'
import type { RouteErrors } from '../http/route.ts'
import { SUBMISSION_ERRORS } from '../jobs/submission/errors.ts'

// A route of records serves every collection, so it has the errors of all of them.

/** Reading one record, also the one that was just written. */
export const READ_ERRORS: RouteErrors = {
  expand_too_large: 400,
  value_too_large: 413,
  changed_while_sent: 503,
}

export const LIST_ERRORS: RouteErrors = {
  ...READ_ERRORS,
  bad_filter: 400,
  filter_too_costly: 400,
  page_too_large: 413,
}

/** Creating and changing a record. */
const WRITE_ERRORS: RouteErrors = {
  ...READ_ERRORS,
  read_only_field: 400,
  slot_in_past: 400,
  slot_overlap: 400,
  session_overlap: 409,
  slot_too_far_ahead: 400,
  slot_too_long: 400,
  not_a_monitor: 400,
  impersonated: 403,
  too_many_thresholds: 409,
}

export const CREATE_ERRORS: RouteErrors = {
  ...SUBMISSION_ERRORS,
  ...CALIBRATION_ERRORS,
  ...WRITE_ERRORS,
  not_allowed: 400,
  too_many_notes: 409,
  too_many_open_requests: 409,
}

export const UPDATE_ERRORS: RouteErrors = {
  ...WRITE_ERRORS,
  already_processed: 400,
  slot_started: 400,
  not_pending: 409,
}

export const REMOVE_ERRORS: RouteErrors = {
  calibration_running: 400,
  last_superuser: 400,
  required_reference: 400,
  slot_started: 400,
  unfinished_jobs: 400,
  job_running: 409,
}
