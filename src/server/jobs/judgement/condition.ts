import type { Unfitness } from '../../../db/store/qpus/index.ts'
import type { ExaminedSubmission, Problem } from '../../programs/messages.ts'
import { chipNeedsText } from '../chip/job-chip-needs.ts'

/** A job with a condition whose needs are too many to be stored, and so could not be judged. */
export function conditionProblems(submission: ExaminedSubmission): Problem[] {
  if (!submission.require || chipNeedsText(submission) !== '') return []
  const message =
    'The programs use too many different parts of a chip for a job with a condition; split it into several jobs.'
  return [{ path: 'require', code: 'too_many_parts', message }]
}

/** The warning of a job that none of the `fitting` QPUs would run now, because of its condition. */
export function conditionWarnings(fitting: number, below: ReadonlyMap<string, Unfitness>): Problem[] {
  const [first] = below.values()
  if (!first || below.size < fitting) return []
  const message = `The job would wait until a calibration meets its condition: ${first.reason}.`
  return [{ path: 'require', code: first.code, message }]
}
