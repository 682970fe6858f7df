import * as v from 'valibot'
import { AppError, type Clock, DAY_MS, newSecret, toTimestamp } from '../../base/index.ts'
import type { ReadTx } from '../../db/index.ts'
import { calibrationResults } from '../../db/store/calibrations/index.ts'
import { findQpu } from '../../db/store/qpus/index.ts'
import {
  createShare,
  findShareByHash,
  listShares,
  removeShare,
  SHARED,
  type Share,
} from '../../db/store/shares/index.ts'
import { hashToken } from '../access-token.ts'
import { RATES } from '../admission/limits.ts'
import { RateLimiter } from '../admission/rate-limiter.ts'
import { clientOf } from '../auth/access-audit.ts'
import { actingUser } from '../auth/acting-user.ts'
import type { ServerContext } from '../context.ts'
import { type Caller, callerName, impersonationOf } from '../http/caller.ts'
import { presentRecord } from '../http/response/present-record.ts'
import { recordResponse } from '../http/response/record-response.ts'
import { defineRoute, Reply, type Route } from '../http/route.ts'
import { described, shape } from '../http/schema.ts'
import { jobDetailResponse } from '../jobs/responses.ts'
import { findAccessible, viewSharedJob } from '../jobs/view.ts'

const SECRET_BYTES = 32
/** The time for which a link is valid. */
const MAX_DAYS = 90
const DEFAULT_DAYS = 14

const target = {
  kind: described(v.picklist(SHARED), 'What the link opens: a job, or the report of a calibration'),
  record: described(v.pipe(v.string(), v.maxLength(15)), 'Id of the job or the report'),
}
const time = described(v.string(), 'UTC')
const shareResponse = shape('Share', {
  id: v.string(),
  ...target,
  expires_at: time,
  created: time,
  user: described(v.string(), 'Id of the user who created it'),
})

interface ShareDependencies {
  clock: Clock
  /** Base URL under which users reach the server. */
  publicUrl: () => string
}

/**
 * Links that open one job or one report of a calibration to whoever has them, read-only and for a limited
 * time. The secret is returned when a link is created; only its hash is stored, as of the calendar feed.
 */
export function shareRoutes({ clock, publicUrl }: ShareDependencies): Route[] {
  const creations = new RateLimiter(RATES.apiTokens, clock)
  return [
    defineRoute('POST /api/shares', {
      access: 'signed_in',
      summary: 'Create a link that opens one job or report without a login, read-only, until it expires',
      body: v.object({
        ...target,
        days: v.optional(
          described(v.pipe(v.number(), v.integer(), v.minValue(1), v.maxValue(MAX_DAYS)), 'Until it expires'),
          DEFAULT_DAYS,
        ),
      }),
      statuses: [201, 404],
      errors: { too_many_links: 409 },
      response: shape('NewShare', {
        ...shareResponse.entries,
        url: described(v.string(), 'Address of the page that shows it; returned once'),
      }),
      async run({ db }, { body, caller, ...call }) {
        const { id: user } = await actingUser(db, caller)
        creations.take(callerName(caller))
        const secret = newSecret(SECRET_BYTES)
        const { days, kind, record } = body
        const end = Math.min(
          clock.now() + days * DAY_MS,
          impersonationOf(caller)?.expiresAt ?? Number.POSITIVE_INFINITY,
        )
        const share = await db.write('create share', (tx) => {
          assertReadable(tx, caller, body)
          const created = { kind, record, user, expires_at: toTimestamp(end), hash: hashToken(secret) }
          return createShare(tx, created, { actor: callerName(caller), personal: { ...clientOf(call) } })
        })
        return new Reply(201, { ...share, url: `${publicUrl()}/shared/${secret}` })
      },
    }),
    defineRoute('GET /api/shares', {
      access: 'signed_in',
      summary: "List the caller's valid links to a job or report; superusers also those of others",
      query: v.object(target),
      response: v.array(shareResponse),
      async run({ db }, { query, caller }) {
        const user = await ownUnlessSuperuser({ db }, caller)
        return db.read((tx) => listShares(tx, { ...query, user }))
      },
    }),
    defineRoute('DELETE /api/shares/:id', {
      access: 'signed_in',
      summary: 'Revoke a link; it becomes invalid immediately',
      response: v.object({ status: v.literal('deleted') }),
      async run({ db }, { params, caller, ...call }) {
        const user = await ownUnlessSuperuser({ db }, caller)
        const removal = { actor: callerName(caller), personal: { ...clientOf(call) } }
        const id = params.id
        await db.write('revoke share', (tx) => {
          if (!removeShare(tx, { id, user }, removal)) throw noShare()
        })
        return { status: 'deleted' }
      },
    }),
    defineRoute('GET /api/shared/:secret', {
      access: 'public',
      summary: 'Read the job or report that a link opens',
      errors: { value_too_large: 413, changed_while_sent: 503 },
      response: shape('Shared', {
        kind: target.kind,
        expires_at: time,
        qpu: described(v.string(), "Name of the QPU; '' = none any more"),
        job: v.optional(jobDetailResponse),
        report: v.optional(recordResponse('SharedReport', calibrationResults)),
      }),
      async run(context, { params }) {
        const hash = hashToken(params.secret)
        const share = await context.db.read((tx) => findShareByHash(tx, hash))
        if (!share) throw noShare()
        return context.db.read((tx) => openShare(context, tx, share))
      },
    }),
  ]
}

/** @throws AppError `not_found`, also for jobs of others. */
function assertReadable(tx: ReadTx, caller: Caller, { kind, record }: Pick<Share, 'kind' | 'record'>): void {
  if (kind === 'job') findAccessible(tx, caller, record)
  else if (!tx.find(calibrationResults, record)) {
    throw new AppError('not_found', `There is no report with the id ${record}`)
  }
}

/** Undefined for a superuser, who manages the links of everybody. */
async function ownUnlessSuperuser(
  { db }: Pick<ServerContext, 'db'>,
  caller: Caller,
): Promise<string | undefined> {
  return caller.kind === 'superuser' ? undefined : (await actingUser(db, caller)).id
}

function openShare(context: ServerContext, tx: ReadTx, { kind, record, expires_at }: Share) {
  if (kind === 'job') {
    const job = viewSharedJob(context, tx, record)
    if (!job) throw noShare()
    return { kind, expires_at, qpu: findQpu(tx, String(job['qpu'] || job['qpu_target']))?.name ?? '', job }
  }
  const stored = tx.find(calibrationResults, record)
  if (!stored) throw noShare()
  const report = presentRecord(calibrationResults, stored, context.db.names, { isSuperuser: false })
  return { kind, expires_at, qpu: findQpu(tx, stored.qpu)?.name ?? '', report }
}

function noShare(): AppError {
  return new AppError(
    'not_found',
    'This link is not valid: it has expired, was revoked, or what it opened is removed',
  )
}
