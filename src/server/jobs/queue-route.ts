import * as v from 'valibot'
import { readQueueHead } from '../../db/store/jobs/index.ts'
import { getQpu } from '../../db/store/qpus/index.ts'
import { whole } from '../http/request/list-query.ts'
import { defineRoute, type Route } from '../http/route.ts'
import { presentQueuedJob, queuedJobShape, readerOf } from '../qpus/present-occupancy.ts'
import { estimateQueued } from './wait-estimate.ts'

const DEFAULT_QUEUED = 20
const MAX_QUEUED = 100

/** The head of the queue of a QPU, in the order in which the dispatcher takes it. */
export const queueRoute: Route = defineRoute('GET /api/qpus/:name/queue', {
  access: 'public',
  isOperation: true,
  summary: 'List the first queued jobs of a QPU in the order of their start, without names of other users',
  query: v.object({ limit: v.optional(whole(1, MAX_QUEUED), String(DEFAULT_QUEUED)) }),
  response: v.array(queuedJobShape),
  async run(context, { params, query, caller }) {
    const { id } = await getQpu(context.db, params.name)
    const { db, config, order, clock } = context
    const idleMs = config.idleThreshold
    const head = await db.read((tx) => readQueueHead(tx, id, { limit: query.limit, idleMs, order }))
    const reader = readerOf(context, caller)
    const now = clock.now()
    return (head?.jobs ?? []).map((job, ahead) =>
      presentQueuedJob(job, head && estimateQueued(job, ahead, head, { now, idleMs }), reader),
    )
  },
})
