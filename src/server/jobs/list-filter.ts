import * as v from 'valibot'
import { AppError, isId, toTimestamp } from '../../base/index.ts'
import type { ReadTx } from '../../db/index.ts'
import type { OwnJobsFilter } from '../../db/query/index.ts'
import { quantumJobs } from '../../db/store/jobs/index.ts'
import { findQpu, qpus, unknownQpu } from '../../db/store/qpus/index.ts'
import { LABEL_LIMITS } from '../../protocol/index.ts'
import { moment } from '../http/request/list-query.ts'
import { described } from '../http/schema.ts'

const STATUSES = quantumJobs.fields.status.choices
const qpu = v.pipe(v.string(), v.trim(), v.nonEmpty(), v.maxLength(100))

/** The filters of `GET /api/jobs`; all of them apply together. */
export const jobFilters = {
  status: v.optional(
    described(
      v.pipe(
        v.string(),
        v.transform((text) => text.split(',')),
        v.maxLength(STATUSES.length),
        v.array(v.picklist(STATUSES)),
      ),
      `One or more of ${STATUSES.join(', ')}, separated by commas`,
    ),
  ),
  qpu: v.optional(
    described(qpu, 'Name or id of the QPU that ran the job or, before it has run, of its target'),
  ),
  qpu_target: v.optional(described(qpu, 'Name or id of the QPU that was requested')),
  tag: v.optional(v.pipe(v.string(), v.nonEmpty(), v.maxLength(LABEL_LIMITS.tagLength))),
  calibration: v.optional(
    v.pipe(
      v.string(),
      v.regex(/^[0-9a-z]{15}$/, 'Expected the id of a calibration report'),
      v.description(
        'Id of a calibration report: only jobs that ran with it, or during which it came into force',
      ),
    ),
  ),
  recalled: v.optional(
    described(
      v.pipe(
        v.picklist(['true', 'false']),
        v.transform((text) => text === 'true'),
      ),
      'true: only jobs whose results are recalled; false: only others',
    ),
  ),
  before: v.optional(
    v.pipe(
      v.string(),
      v.regex(/^[0-9a-z]{15}$/, 'Expected the id of a job'),
      v.description('Id of a job: only those submitted before it, to page without repetition'),
    ),
  ),
  text: v.optional(
    described(
      v.pipe(v.string(), v.trim(), v.nonEmpty(), v.maxLength(LABEL_LIMITS.nameLength)),
      'Text that the id, the name or a tag contains, in upper or lower case',
    ),
  ),
  user: v.optional(
    described(
      v.pipe(v.string(), v.trim(), v.nonEmpty(), v.maxLength(255)),
      'Superusers only: id or e-mail address of the owner, or * for the jobs of everybody',
    ),
  ),
  created_from: v.optional(moment),
  created_to: v.optional(described(moment, 'Excluded')),
}

type Given = { [Key in keyof typeof jobFilters]?: v.InferOutput<(typeof jobFilters)[Key]> }

/** The filter of a query. @throws AppError `invalid` for an unknown QPU. */
export function readJobFilter(tx: ReadTx, given: Given): OwnJobsFilter {
  const { status, tag, calibration, recalled, before, text, created_from: from, created_to: to } = given
  return {
    status,
    tag,
    calibration,
    recalled,
    before,
    text,
    qpu: qpuOf('qpu'),
    qpuTarget: qpuOf('qpu_target'),
    createdFrom: from === undefined ? undefined : toTimestamp(from),
    createdTo: to === undefined ? undefined : toTimestamp(to),
  }

  /** Jobs keep the id of a QPU that was removed. */
  function qpuOf(name: 'qpu' | 'qpu_target'): string | undefined {
    const text = given[name]
    if (text === undefined) return undefined
    const id = findQpu(tx, text)?.id ?? (isId(text) ? text : undefined)
    if (id !== undefined) return id
    const message = unknownQpu(tx.list(qpus), text)
    const fields = { [name]: { code: 'validation_missing_rel_records', message } }
    throw new AppError('invalid', 'Invalid query parameter', { fields })
  }
}
