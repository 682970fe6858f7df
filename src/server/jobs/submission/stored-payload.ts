import { AppError, type FieldError } from '../../../base/index.ts'
import type { JobPayload } from '../../../protocol/index.ts'
import { checkPrograms } from './check-programs.ts'
import { readSubmission } from './read-submission.ts'

/**
 * The payload of a job from a file, with defaults filled in and its programs checked; unknown keys are left
 * out.
 * @throws AppError `invalid` with each refused field, `too_large`.
 */
export function readStoredPayload(stored: unknown): JobPayload {
  const { payload } = readSubmission(stored, { isStored: true })
  const [problem, ...others] = checkPrograms(payload).problems
  if (!problem) return payload
  const fields: AppError['fields'] = {}
  for (const { path, ...error } of [problem, ...others]) fields[path] ??= withPlace(error)
  throw new AppError('invalid', 'Invalid job', { fields })
}

/** The message names the place, because an import prints messages only. */
function withPlace(error: FieldError): FieldError {
  const { line, column } = error.params ?? {}
  return line === undefined
    ? error
    : { ...error, message: `line ${line}, column ${column}: ${error.message}` }
}
