import { readDts } from '../../../../src/server/jobs/chip/dt-of-qpus.ts'
import { dryRunJob } from '../../../../src/server/jobs/submission/dry-run.ts'
import { accepted, examineBody } from '../../../../src/server/jobs/submission/examine.ts'
import { submitJob } from '../../../../src/server/jobs/submission/submit.ts'
import type { JobLab } from '../../../support/server/job-lab.ts'

type Caller = Parameters<typeof submitJob>[1]

/** Examines a body as `POST /api/jobs` does, and submits it. */
export async function submitBody(
  lab: JobLab,
  caller: Caller,
  body: unknown,
  options: Parameters<typeof submitJob>[3] = {},
) {
  const isKeyed = options.idempotencyKey !== undefined
  const outcome = await examineBody(body, examinerOf(lab, isKeyed))
  return submitJob(lab, caller, accepted(outcome), options)
}

/** Examines a body, and submits it as a dry run. */
export async function dryRunBody(lab: JobLab, caller: Caller, body: unknown) {
  return dryRunJob(lab, caller, await examineBody(body, examinerOf(lab, false)))
}

function examinerOf(lab: JobLab, isKeyed: boolean) {
  return {
    thread: lab.submissionThread,
    account: 'test',
    isKeyed,
    dts: (target?: string) => readDts(lab, target),
  }
}
