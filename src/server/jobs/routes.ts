import * as v from 'valibot'
import { callerName } from '../http/caller.ts'
import { MAX_BODY_BYTES } from '../http/limits/body-size.ts'
import type { RateLimiter } from '../http/limits/rate-limit.ts'
import { listQuery } from '../http/request/list-query.ts'
import { defineRoute, Reply, type Route } from '../http/route.ts'
import { cancelJob } from './cancel.ts'
import { dryRunResponse, jobDetailResponse, jobResponse } from './responses.ts'
import { submissionForms } from './submission/read-submission.ts'
import { dryRunJob, submitJob } from './submission/submit.ts'
import { listJobs, viewJob } from './view.ts'

/** Jobs of the caller: submit, list, retrieve, cancel. `limit` counts the submissions of each user. */
export function jobRoutes(limit: RateLimiter): Route[] {
  return [
    defineRoute({
      method: 'POST',
      path: '/api/jobs',
      access: 'signed_in',
      scope: 'submit',
      summary: 'Submit a job; with ?dry_run=true only validate it',
      body: v.unknown(),
      bodyForms: submissionForms,
      query: v.object({ dry_run: v.optional(v.picklist(['true', 'false']), 'false') }),
      headers: {
        'Idempotency-Key':
          'Repeating the request with the same key returns the same job; 1 to 255 characters',
      },
      response: v.union([jobResponse, dryRunResponse]),
      receivesLarge: true,
      maxBody: MAX_BODY_BYTES,
      statuses: [200, 201, 400, 401, 403, 409, 413, 422, 429, 503],
      async run(context, { body, query, caller, request }) {
        if (query.dry_run === 'true') return dryRunJob(context, caller, body)
        if (caller.kind !== 'superuser') limit.take(callerName(caller))
        const idempotencyKey = request.headers.get('idempotency-key') ?? undefined
        return new Reply(
          201,
          await submitJob(context, caller, body, { idempotencyKey, fields: fieldsOf(request) }),
        )
      },
    }),
    defineRoute({
      method: 'GET',
      path: '/api/jobs',
      access: 'signed_in',
      summary: "List the caller's jobs, newest first",
      query: listQuery(['created', 'updated', 'status', 'finished_at', 'duration'], '-created'),
      statuses: [200, 400, 401, 413, 503],
      response: v.array(jobResponse),
      run: (context, { caller, query, request }) => {
        return listJobs(context, caller, { ...query, fields: fieldsOf(request) }, request)
      },
    }),
    defineRoute({
      method: 'GET',
      path: '/api/jobs/:id',
      access: 'signed_in',
      summary: 'Retrieve a job: results, timeline, charge and, while it is pending, why it waits',
      statuses: [200, 401, 404, 413, 503],
      response: jobDetailResponse,
      run: (context, { caller, params, request }) =>
        viewJob(context, caller, params['id'] ?? '', fieldsOf(request)),
    }),
    defineRoute({
      method: 'POST',
      path: '/api/jobs/:id/cancel',
      access: 'signed_in',
      scope: 'submit',
      summary: 'Cancel a pending job',
      statuses: [200, 401, 404, 409],
      response: jobResponse,
      run: (context, { caller, params }) => cancelJob(context, caller, params['id'] ?? ''),
    }),
  ]
}

function fieldsOf({ url }: Request): string {
  return url.includes('fields=') ? (new URL(url).searchParams.get('fields') ?? '') : ''
}
