import * as v from 'valibot'
import { AppError, badField, type Clock, withTimeout } from '../../base/index.ts'
import {
  createWebhook,
  findWebhook,
  kindsOf,
  type ListedDelivery,
  listDeliveries,
  listWebhooks,
  queueTestDelivery,
  removeWebhook,
  rotateSecret,
  updateWebhook,
  WEBHOOK_KIND_NAMES,
  WEBHOOK_KINDS,
  type Webhook,
} from '../../db/store/webhooks/index.ts'
import { RATES } from '../admission/limits.ts'
import { RateLimiter } from '../admission/rate-limiter.ts'
import { clientOf } from '../auth/access-audit.ts'
import { actingUser } from '../auth/acting-user.ts'
import type { ServerContext } from '../context.ts'
import { callerName } from '../http/caller.ts'
import { whole } from '../http/request/list-query.ts'
import { defineRoute, Reply, type Route, type RouteRequest } from '../http/route.ts'
import { described, shape } from '../http/schema.ts'
import type { AddressGuard } from './addresses.ts'
import type { Webhooks } from './create.ts'
import { newWebhookSecret } from './signature.ts'

const MAX_URL_LENGTH = 1_000
/** Time for the look-up of a name when its address is registered. */
const RESOLVE_TIMEOUT_MS = 5_000

const url = described(
  v.pipe(
    v.string(),
    v.maxLength(MAX_URL_LENGTH),
    v.check(isAccepted, 'Expected an address such as https://example.org/path, without user, password and #'),
  ),
  'HTTPS address of the receiver',
)
const description = v.pipe(v.string(), v.maxLength(255))
const kindList = Object.entries(WEBHOOK_KINDS).map(
  ([name, { summary, audience }]) =>
    `\`${name}\`: ${summary}${audience === 'operator' ? ' (superusers)' : ''}`,
)
const kinds = described(
  v.pipe(
    v.array(v.picklist(WEBHOOK_KIND_NAMES)),
    v.minLength(1),
    v.check((names) => new Set(names).size === names.length, 'Expected each kind once'),
  ),
  kindList.join('; '),
)
const webhookResponse = shape('Webhook', {
  id: v.string(),
  url: v.string(),
  description: v.string(),
  kinds: v.array(v.picklist(WEBHOOK_KIND_NAMES)),
  enabled: v.boolean(),
  disabled_reason: described(v.string(), "'' while it is enabled"),
  failures: described(v.number(), 'Failed attempts since the last successful one'),
  failing_since: described(v.string(), "The first of these failures; '' = none"),
  dropped: described(v.number(), 'Events not queued, because too many deliveries were pending'),
  created: v.string(),
  updated: v.string(),
})
const withSecret = shape('NewWebhook', {
  ...webhookResponse.entries,
  secret: described(v.string(), 'Verifies the signatures of deliveries; shown once'),
})
const deliveryResponse = shape('WebhookDelivery', {
  id: described(v.string(), 'The header webhook-id, the same at every attempt'),
  kind: v.string(),
  state: v.picklist(['pending', 'delivered', 'failed']),
  created: v.string(),
  attempts: v.number(),
  attempted_at: described(v.string(), "The last attempt; '' = none"),
  next_attempt: described(v.string(), "Not before this time; '' = none"),
  status: described(v.number(), 'HTTP status of the last response; 0 = none'),
  error: described(v.string(), "Why the last attempt failed; '' = it did not"),
  duration_ms: described(v.number(), 'Time of the last attempt until the response'),
  response: described(v.string(), 'Beginning of the last response body'),
})

/** Webhooks of the caller. The secret is returned when a webhook is created and when it is rotated. */
export function webhookRoutes({ guard, deliverer }: Webhooks, clock: Clock): Route[] {
  const changes = new RateLimiter(RATES.webhookChanges, clock)
  const changeBy = async ({ db }: ServerContext, call: RouteRequest<unknown, unknown>) => {
    const user = await actingUser(db, call.caller)
    return {
      user: user.id,
      actor: callerName(call.caller),
      isOperator: call.caller.kind === 'superuser',
      personal: clientOf(call),
    }
  }
  return [
    defineRoute('POST /api/webhooks', {
      access: 'signed_in',
      summary: 'Register a webhook',
      body: v.object({ url, kinds, description: v.optional(description, '') }),
      statuses: [201],
      errors: {
        address_not_allowed: 400,
        name_not_resolved: 400,
        operator_kind: 403,
        too_many_webhooks: 409,
      },
      response: withSecret,
      async run(context, call) {
        const change = await changeBy(context, call)
        changes.take(change.actor)
        const settings = { ...call.body, url: await reachable(call.body.url, guard, clock) }
        const secret = newWebhookSecret()
        const row = await createWebhook(context.db, { ...settings, secret }, change)
        return new Reply(201, { ...presentWebhook(row), secret })
      },
    }),
    defineRoute('GET /api/webhooks', {
      access: 'signed_in',
      summary: "List the caller's webhooks",
      response: v.array(webhookResponse),
      async run({ db }, { caller }) {
        const user = await actingUser(db, caller)
        return (await listWebhooks(db, user.id)).map(presentWebhook)
      },
    }),
    defineRoute('GET /api/webhooks/:id', {
      access: 'signed_in',
      summary: 'Retrieve a webhook',
      response: webhookResponse,
      async run({ db }, { caller, params }) {
        const user = await actingUser(db, caller)
        return presentWebhook(await findWebhook(db, user.id, params.id))
      },
    }),
    defineRoute('PATCH /api/webhooks/:id', {
      access: 'signed_in',
      summary: 'Change a webhook, or enable or disable it',
      body: v.partial(v.object({ url, kinds, description, enabled: v.boolean() })),
      errors: { address_not_allowed: 400, name_not_resolved: 400, operator_kind: 403 },
      response: webhookResponse,
      async run(context, call) {
        const change = await changeBy(context, call)
        const id = call.params.id
        await findWebhook(context.db, change.user, id)
        changes.take(change.actor)
        const { url: sent, ...rest } = call.body
        const patch = sent === undefined ? rest : { ...rest, url: await reachable(sent, guard, clock) }
        const row = await updateWebhook(context.db, id, withoutUndefined(patch), change)
        deliverer.loop.wake()
        return presentWebhook(row)
      },
    }),
    defineRoute('DELETE /api/webhooks/:id', {
      access: 'signed_in',
      summary: 'Delete a webhook with its pending deliveries',
      response: v.object({ status: v.literal('deleted') }),
      async run(context, call) {
        await removeWebhook(context.db, call.params.id, await changeBy(context, call))
        return { status: 'deleted' }
      },
    }),
    defineRoute('POST /api/webhooks/:id/rotate', {
      access: 'signed_in',
      summary: 'Replace the secret; deliveries are signed with the previous one too for 24 hours',
      errors: { operator_kind: 403 },
      response: withSecret,
      async run(context, call) {
        const change = await changeBy(context, call)
        const id = call.params.id
        await findWebhook(context.db, change.user, id)
        changes.take(change.actor)
        const secret = newWebhookSecret()
        return { ...presentWebhook(await rotateSecret(context.db, id, secret, change)), secret }
      },
    }),
    defineRoute('POST /api/webhooks/:id/test', {
      access: 'signed_in',
      summary: 'Queue a delivery of the kind webhook.test; its outcome is among the deliveries',
      statuses: [202],
      errors: { webhook_disabled: 409, too_many_deliveries: 409 },
      response: v.object({ delivery: v.string() }),
      async run({ db }, { caller, params }) {
        const user = await actingUser(db, caller)
        const id = params.id
        await findWebhook(db, user.id, id)
        changes.take(callerName(caller))
        const delivery = await queueTestDelivery(db, user.id, id)
        deliverer.loop.wake()
        return new Reply(202, { delivery })
      },
    }),
    defineRoute('GET /api/webhooks/:id/deliveries', {
      access: 'signed_in',
      summary: 'List the newest deliveries: those that are pending, and the last 100 that ended',
      query: v.object({ limit: v.optional(whole(1, 200), '50') }),
      response: v.array(deliveryResponse),
      async run({ db }, { caller, params, query }) {
        const user = await actingUser(db, caller)
        const { id } = await findWebhook(db, user.id, params.id)
        return (await db.read((tx) => listDeliveries(tx, id, query.limit))).map(presentDelivery)
      },
    }),
  ]
}

function isAccepted(text: string): boolean {
  const parsed = URL.parse(text)
  return (
    parsed?.protocol === 'https:' && parsed.username === '' && parsed.password === '' && parsed.hash === ''
  )
}

/**
 * The normalized form of an address whose host is at an accepted address now; it is checked again at each
 * delivery.
 * @throws AppError `invalid`.
 */
async function reachable(text: string, guard: AddressGuard, clock: Clock): Promise<string> {
  const { href, hostname } = new URL(text)
  try {
    await withTimeout(guard.addressesOf(hostname), { clock, ms: RESOLVE_TIMEOUT_MS, onTimeout: refuseLate })
  } catch (error) {
    if (!(error instanceof AppError)) throw error
    const { reason = 'address_not_allowed', message } = error
    throw badField(message, 'url', `${message}.`, { reason })
  }
  return href
}

function refuseLate(): never {
  const message = `The name has no address within ${RESOLVE_TIMEOUT_MS / 1_000} s`
  throw new AppError('invalid', message, { reason: 'name_not_resolved' })
}

function withoutUndefined<T extends object>(patch: T): { [K in keyof T]?: Exclude<T[K], undefined> } {
  // Object.fromEntries loses the types of the entries that remain.
  return Object.fromEntries(Object.entries(patch).filter(([, value]) => value !== undefined)) as never
}

function presentWebhook(row: Webhook) {
  const { id, url, description, enabled, disabled_reason, failures, failing_since, dropped } = row
  return {
    id,
    url,
    description,
    kinds: kindsOf(row),
    enabled,
    disabled_reason,
    failures,
    failing_since,
    dropped,
    created: row.created,
    updated: row.updated,
  }
}

function presentDelivery({ at, attemptedAt, nextAt, durationMs, ...delivery }: ListedDelivery) {
  return {
    ...delivery,
    created: at,
    attempted_at: attemptedAt,
    next_attempt: nextAt,
    duration_ms: durationMs,
  }
}
