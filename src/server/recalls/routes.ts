import * as v from 'valibot'
import type { ReadTx } from '../../db/index.ts'
import { findQpu, qpus, unknownQpu } from '../../db/store/qpus/index.ts'
import {
  declareRecall,
  listRecalls,
  type Recall,
  type RecallSubject,
  undoRecall,
} from '../../db/store/recalls/index.ts'
import { callerName } from '../http/caller.ts'
import { badQuery, moment, strictQuery, whole } from '../http/request/list-query.ts'
import { defineRoute, Reply, type Route } from '../http/route.ts'
import { described, shape } from '../http/schema.ts'

const MAX_RECALLS = 200

const reason = described(
  v.pipe(
    v.string(),
    v.trim(),
    v.nonEmpty('Expected a reason, which the owners of the results read'),
    v.maxLength(1_000),
  ),
  'The owners of the results read it',
)
const declaration = v.pipe(
  v.strictObject({
    report: v.optional(
      described(v.pipe(v.string(), v.nonEmpty(), v.maxLength(100)), 'Id of a calibration report'),
    ),
    qpu: v.optional(
      described(v.pipe(v.string(), v.nonEmpty(), v.maxLength(100)), 'With from and to: name or id'),
    ),
    from: v.optional(moment),
    to: v.optional(described(moment, 'Not in the future')),
    reason,
  }),
  v.check(
    ({ report, qpu, from, to }) =>
      report === undefined
        ? qpu !== undefined && from !== undefined && to !== undefined
        : qpu === undefined && from === undefined && to === undefined,
    'Expected either report, or qpu with from and to',
  ),
)

const time = described(v.string(), "UTC; '' = none")
const recallResponse = shape('Recall', {
  id: v.string(),
  qpu: described(v.string(), 'Id in qpus'),
  report: described(v.string(), "Id in calibration_results; '' = an interval"),
  from: described(time, 'Begin of the interval, or end of the calibration, UTC'),
  to: time,
  reason: v.string(),
  created: time,
  undone_at: described(time, "When it was withdrawn, UTC; '' = it is in force"),
  undo_reason: v.string(),
  settled: described(v.boolean(), 'Whether all charges are refunded, or deducted again'),
})

/** Reports and intervals whose results are declared bad. `wake`: there are jobs to refund. */
export function recallRoutes(wake: () => void): Route[] {
  return [
    defineRoute('POST /api/op/recalls', {
      access: 'superuser',
      isOperation: true,
      summary: 'Recall the results of a calibration report or of an interval of a QPU; refunds their charges',
      body: declaration,
      statuses: [201, 404],
      errors: { report_not_in_force: 409, already_recalled: 409, too_many_recalls: 409 },
      response: recallResponse,
      async run({ db }, { body: { reason, ...body }, caller }) {
        const actor = callerName(caller)
        const recall = await db.write('declare recall', (tx) =>
          declareRecall(tx, subjectOf(tx, body), { actor, reason }),
        )
        wake()
        return new Reply(201, present(recall))
      },
    }),
    defineRoute('POST /api/op/recalls/:id/undo', {
      access: 'superuser',
      isOperation: true,
      summary: 'Withdraw a recall: what was refunded because of it alone is deducted again',
      body: v.strictObject({ reason }),
      errors: { already_undone: 409 },
      response: recallResponse,
      async run({ db }, { params, body, caller }) {
        const order = { actor: callerName(caller), reason: body.reason }
        const recall = await db.write('undo recall', (tx) => undoRecall(tx, params.id, order))
        wake()
        return present(recall)
      },
    }),
    defineRoute('GET /api/recalls', {
      access: 'signed_in',
      isOperation: true,
      summary: 'List recalls of results, newest first, also those that were withdrawn',
      query: strictQuery({
        report: v.optional(described(v.pipe(v.string(), v.nonEmpty()), 'Only those of this report')),
        qpu: v.optional(described(v.pipe(v.string(), v.nonEmpty()), 'Only those of this QPU: name or id')),
        skip: v.optional(whole(0, Number.MAX_SAFE_INTEGER), '0'),
        limit: v.optional(whole(1, MAX_RECALLS), '50'),
      }),
      response: v.array(recallResponse),
      run: ({ db }, { query: { report, qpu, skip, limit } }) =>
        db.read((tx) =>
          listRecalls(tx, { report, skip, limit, qpu: qpu === undefined ? undefined : qpuId(tx, qpu) }).map(
            present,
          ),
        ),
    }),
  ]
}

type Declaration = Omit<v.InferOutput<typeof declaration>, 'reason'>

function subjectOf(tx: ReadTx, { report, qpu = '', from = 0, to = 0 }: Declaration): RecallSubject {
  return report === undefined ? { qpu: qpuId(tx, qpu), from, to } : { report }
}

/** @throws AppError `invalid` for an unknown QPU. */
function qpuId(tx: ReadTx, nameOrId: string): string {
  const found = findQpu(tx, nameOrId)
  if (!found) throw badQuery('qpu', unknownQpu(tx.list(qpus), nameOrId))
  return found.id
}

/** Who declared and withdrew it is in the audit log. */
function present({ from_at, to_at, settled, actor: _, undone_by: __, ...recall }: Recall) {
  return { ...recall, from: from_at, to: to_at, settled: settled === 1 }
}
