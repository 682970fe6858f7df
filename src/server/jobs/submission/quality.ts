import type { ReadTx } from '../../../db/index.ts'
import { fitsQpu } from '../../../db/store/jobs/index.ts'
import type { KnownQpus, Unfitness } from '../../../db/store/qpus/index.ts'
import type { ExaminedSubmission, Problem } from '../../programs/messages.ts'
import { ChipReading } from '../chip/chip-reading.ts'
import { chipNeedsText } from '../chip/job-chip-needs.ts'
import { belowQuality } from '../chip/unfitness.ts'
import { needsOf } from './needs.ts'
import type { Target } from './target.ts'

/** A job with a condition whose needs are too many to be stored, and so could not be judged. */
export function conditionProblems(submission: ExaminedSubmission): Problem[] {
  if (!submission.require || chipNeedsText(submission) !== '') return []
  const message =
    'The programs use too many different parts of a chip for a job with a condition; split it into several jobs.'
  return [{ path: 'require', code: 'too_many_parts', message }]
}

/** The QPUs of a target that do not meet the condition of a job now, by id; none without a condition. */
export function findBelowQuality(
  tx: ReadTx,
  submission: ExaminedSubmission,
  { registered }: Target,
  known: KnownQpus,
): ReadonlyMap<string, Unfitness> {
  if (!submission.require) return new Map()
  const needs = needsOf(submission)
  return new Map(
    registered
      .filter((qpu) => fitsQpu(needs, qpu))
      .flatMap((qpu) => {
        const unfit = belowQuality(
          new ChipReading(tx, qpu, tx.read(known.description(tx, qpu.id))),
          submission,
        )
        return unfit ? [[qpu.id, unfit] as const] : []
      }),
  )
}

/** The warning of a job that no QPU of its target would run now, because of its condition. */
export function conditionWarnings(
  submission: ExaminedSubmission,
  { registered }: Target,
  below: ReadonlyMap<string, Unfitness>,
): Problem[] {
  const needs = needsOf(submission)
  const isStarted = registered.some((qpu) => fitsQpu(needs, qpu) && !below.has(qpu.id))
  const [first] = below.values()
  if (isStarted || !first) return []
  const message = `The job would wait until a calibration meets its condition: ${first.reason}.`
  return [{ path: 'require', code: first.code, message }]
}
