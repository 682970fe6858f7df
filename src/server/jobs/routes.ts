import * as v from 'valibot'
import { quantumJobs } from '../../db/store/jobs/index.ts'
import { receipt } from '../../protocol/index.ts'
import { BODIES, COUNTS } from '../admission/limits.ts'
import { Places } from '../admission/places.ts'
import type { RateLimiter } from '../admission/rate-limiter.ts'
import { callerName } from '../http/caller.ts'
import { listQuery, omitQuery, omitting, strictQuery, whole } from '../http/request/list-query.ts'
import { defineRoute, Reply, type Route } from '../http/route.ts'
import { described } from '../http/schema.ts'
import type { WaitDependencies } from '../waiting/await-state.ts'
import { WAIT_LIMITS } from '../waiting/waits.ts'
import { cancelJob } from './cancel.ts'
import { readDts } from './chip/dt-of-qpus.ts'
import { deleteJob } from './delete.ts'
import { jobLabels, relabelJob } from './labels.ts'
import { jobFilters, readJobFilter } from './list-filter.ts'
import { partialResultsResponse, viewPartialResults } from './partial-results.ts'
import { issueReceipt } from './receipt.ts'
import {
  dryRunResponse,
  jobChangesResponse,
  jobDetailResponse,
  jobResponse,
  submittedResponse,
} from './responses.ts'
import { dryRunJob } from './submission/dry-run.ts'
import { SUBMISSION_ERRORS } from './submission/errors.ts'
import { accepted, examineBody } from './submission/examine.ts'
import { submissionForms } from './submission/read-submission.ts'
import { submitJob } from './submission/submit.ts'
import { viewByKey } from './submission/view-by-key.ts'
import { countJobs, listJobs } from './view.ts'
import { awaitJobChanges, jobChangesBody } from './waiting/await-changes.ts'
import { awaitJob } from './waiting/await-job.ts'

const omit = omitQuery(jobDetailResponse)
const waitQuery = v.object({
  omit,
  wait: v.optional(described(whole(0, WAIT_LIMITS.seconds), 'Seconds to wait for the end of the job'), '0'),
  status: v.optional(
    described(
      v.picklist(quantumJobs.fields.status.choices),
      'With `wait`: respond as soon as the job has another status than this one',
    ),
  ),
})

interface JobRouteDependencies extends WaitDependencies {
  /** Counts the submissions of each user. */
  submissions: RateLimiter
}

const SORTABLE = ['created', 'updated', 'status', 'finished_at', 'duration'] as const

/** Jobs of the caller: submit, list, retrieve, wait, cancel. */
export function jobRoutes({ submissions, ...waiting }: JobRouteDependencies): Route[] {
  const hashing = new Places(COUNTS.hashedValues)
  return [
    defineRoute('POST /api/jobs', {
      access: 'signed_in',
      inSession: 'submit',
      scope: 'submit',
      summary: 'Submit a job; with ?dry_run=true only validate it',
      body: v.unknown(),
      bodyForms: submissionForms,
      query: v.object({ dry_run: v.optional(v.picklist(['true', 'false']), 'false') }),
      headers: {
        'Idempotency-Key':
          'Repeating the request with the same key returns the same job; 1 to 255 characters',
      },
      response: v.union([submittedResponse, dryRunResponse]),
      receivesLarge: true,
      maxBody: BODIES.job,
      statuses: [200, 201],
      errors: SUBMISSION_ERRORS,
      async run(context, { body, query, caller, request }) {
        const [thread, dts] = [context.submissionThread, (target?: string) => readDts(context, target)]
        const examiner = { thread, account: callerName(caller), dts }
        if (query.dry_run === 'true')
          return dryRunJob(context, caller, await examineBody(body, { ...examiner, isKeyed: false }))
        if (caller.kind !== 'superuser') submissions.take(callerName(caller))
        const idempotencyKey = request.headers.get('idempotency-key') ?? undefined
        const isKeyed = idempotencyKey !== undefined
        const submission = accepted(await examineBody(body, { ...examiner, isKeyed }))
        return new Reply(201, await submitJob(context, caller, submission, { idempotencyKey }))
      },
    }),
    defineRoute('GET /api/jobs', {
      access: 'signed_in',
      isOperation: true,
      summary: "List the caller's jobs, newest first; superusers also those of others",
      query: strictQuery({
        ...listQuery(SORTABLE, '-created').entries,
        ...jobFilters,
        omit: omitQuery(jobResponse),
      }),
      statuses: [200, 403],
      errors: { filter_too_costly: 400, page_too_large: 413, value_too_large: 413, changed_while_sent: 503 },
      response: v.array(jobResponse),
      async run(context, { query, ...call }) {
        const filter = await context.db.read((tx) => readJobFilter(tx, query))
        const page = { ...query, filter, fields: fieldsOf(call.request) }
        const jobs = await listJobs(context, call.caller, page, call)
        return jobs.map((job) => omitting(job, query.omit))
      },
    }),
    defineRoute('GET /api/jobs/count', {
      access: 'signed_in',
      isOperation: true,
      summary: 'Count the jobs that a list with these filters contains',
      query: strictQuery(jobFilters),
      statuses: [200, 403],
      errors: { filter_too_costly: 400 },
      response: v.object({ count: v.pipe(v.number(), v.integer()) }),
      async run(context, { query, ...call }) {
        const filter = await context.db.read((tx) => readJobFilter(tx, query))
        return { count: await countJobs(context, call.caller, { ...query, filter }, call) }
      },
    }),
    defineRoute('GET /api/jobs/by-key/:key', {
      access: 'signed_in',
      inSession: 'read',
      isOperation: true,
      summary: 'Retrieve the job that was submitted with an Idempotency-Key within 24 hours',
      query: v.object({ omit }),
      errors: { unknown_key: 404, value_too_large: 413, changed_while_sent: 503 },
      response: jobDetailResponse,
      run: async (context, { query, caller, params }) =>
        omitting(await viewByKey(context, caller, params.key), query.omit),
    }),
    defineRoute('GET /api/jobs/:id', {
      access: 'signed_in',
      inSession: 'read',
      isOperation: true,
      summary: 'Retrieve a job, at once or when it has ended: results, timeline, charge, why it is pending',
      query: waitQuery,
      errors: { value_too_large: 413, too_many_waiting_requests: 429, changed_while_sent: 503 },
      response: jobDetailResponse,
      run: async (context, request) =>
        omitting(await awaitJob(context, waiting, request, request.query), request.query.omit),
    }),
    defineRoute('GET /api/jobs/:id/receipt', {
      access: 'signed_in',
      isOperation: true,
      summary: 'Sign what a job that has ended ran and returned',
      errors: { job_not_ended: 409, no_receipt_key: 503, changed_while_sent: 503 },
      response: receipt,
      run: (context, { caller, params }) => issueReceipt(context, caller, params.id, hashing),
    }),
    defineRoute('GET /api/jobs/:id/partial-results', {
      access: 'signed_in',
      inSession: 'read',
      isOperation: true,
      summary: 'Retrieve the results of circuits that have ended of a job that has not completed',
      query: v.object({
        after: v.optional(
          described(
            whole(0, Number.MAX_SAFE_INTEGER),
            '`next` of the response before: only what arrived later, all of another attempt',
          ),
          '0',
        ),
      }),
      response: partialResultsResponse,
      run: (context, { query, caller, params }) =>
        viewPartialResults(context, caller, { id: params.id, after: query.after }),
    }),
    defineRoute('POST /api/jobs/changes', {
      access: 'signed_in',
      inSession: 'read',
      isOperation: true,
      scope: 'read',
      summary:
        'Retrieve the jobs that have another status than the known one, at once or when the first one has',
      body: jobChangesBody,
      errors: { too_many_waiting_requests: 429, changed_while_sent: 503 },
      response: jobChangesResponse,
      run: (context, request) => awaitJobChanges(context, waiting, request, request.body),
    }),
    defineRoute('POST /api/jobs/:id/cancel', {
      access: 'signed_in',
      inSession: 'submit',
      scope: 'submit',
      summary: 'Cancel a pending job',
      errors: { not_pending: 409 },
      response: jobResponse,
      run: (context, { caller, params }) => cancelJob(context, caller, params.id),
    }),
    defineRoute('PATCH /api/jobs/:id', {
      access: 'signed_in',
      scope: 'submit',
      summary: 'Change the name and the tags of a job, in any state; what is omitted stays',
      body: v.strictObject({
        name: v.optional(described(jobLabels.name, 'Name of the job; empty for none')),
        tags: v.optional(described(jobLabels.tags, 'Replace all tags of the job')),
      }),
      errors: { value_too_large: 413, changed_while_sent: 503 },
      response: jobResponse,
      run: (context, { body, caller, params }) =>
        relabelJob(context, caller, { id: params.id, labels: body }),
    }),
    defineRoute('DELETE /api/jobs/:id', {
      access: 'signed_in',
      scope: 'submit',
      summary: 'Delete a job that has ended; its charge and audit entries remain',
      errors: { job_not_ended: 409 },
      response: v.object({ status: v.literal('deleted') }),
      async run(context, { caller, params }) {
        await deleteJob(context, caller, params.id)
        return { status: 'deleted' }
      },
    }),
  ]
}

function fieldsOf({ url }: Request): string {
  return url.includes('fields=') ? (new URL(url).searchParams.get('fields') ?? '') : ''
}
