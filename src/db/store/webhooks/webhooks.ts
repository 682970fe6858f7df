import { AppError, DAY_MS, notFound, toTimestamp } from '../../../base/index.ts'
import { webhooks } from '../../collections/webhooks.ts'
import { type AuditEntry, appendAudit } from '../../journal/audit.ts'
import { bodyOf, queueDelivery } from '../../journal/webhook-events.ts'
import { isForOperators, type WebhookKindName } from '../../journal/webhook-kinds.ts'
import type { Database } from '../../records/database.ts'
import type { ReadTx, Tx } from '../../records/tx.ts'
import type { RecordOf } from '../../schema/collection.ts'
import { failPending, retryPending } from './deliveries.ts'

export type Webhook = RecordOf<typeof webhooks>

/** Webhooks of one user. */
const MAX_WEBHOOKS = 10
/** The kind of a delivery that its owner asks for. */
const TEST_KIND = 'webhook.test'
/** Time during which deliveries are also signed with the secret before a rotation. */
const ROTATION_MS = DAY_MS

/** Who changes a webhook: its owner and the actor of the audit log. */
interface Change extends Pick<AuditEntry, 'actor' | 'personal'> {
  user: string
  /** Only a superuser may change a webhook that receives kinds of operators. */
  isOperator: boolean
}

/** What the owner of a webhook decides. */
interface WebhookSettings {
  url: string
  description: string
  kinds: readonly WebhookKindName[]
  enabled: boolean
}

/** Registers a webhook; audited. @throws AppError `conflict` (`too_many_webhooks`), `forbidden`. */
export function createWebhook(
  db: Database,
  settings: Omit<WebhookSettings, 'enabled'> & { secret: string },
  change: Change,
): Promise<Webhook> {
  return db.write('create webhook', (tx) => {
    assertMayReceive(settings.kinds, change)
    const count = tx.list(webhooks, { where: { user: change.user } }).length
    if (count >= MAX_WEBHOOKS) {
      const message = `The account has ${count} webhooks, the limit is ${MAX_WEBHOOKS}; delete one that is not used`
      throw new AppError('conflict', message, { reason: 'too_many_webhooks' })
    }
    const { url, description, kinds, secret } = settings
    const row = tx.insert(webhooks, {
      user: change.user,
      url,
      description,
      kinds: [...kinds],
      secret,
      for_operators: isForOperators(kinds),
    })
    audit(tx, 'webhook.create', row, change)
    return row
  })
}

/** Whether any account has a webhook. */
export function hasWebhooks(tx: ReadTx): boolean {
  return tx.one('SELECT 1 FROM webhooks LIMIT 1') !== undefined
}

/** The webhooks of a user, oldest first. */
export function listWebhooks(db: Database, user: string): Promise<Webhook[]> {
  return db.read((tx) => tx.list(webhooks, { where: { user }, sort: 'created' }))
}

/** @throws AppError `not_found`, also for webhooks of others. */
export function findWebhook(db: Database, user: string, id: string): Promise<Webhook> {
  return db.read((tx) => requireOwn(tx, user, id))
}

/**
 * Changes a webhook; audited. A new address or enabling it clears the record of failures, so that pending
 * deliveries are attempted immediately; disabling it ends them, and a change of kinds those of the others.
 * @throws AppError `not_found`, `forbidden`.
 */
export function updateWebhook(
  db: Database,
  id: string,
  patch: Partial<WebhookSettings>,
  change: Change,
): Promise<Webhook> {
  return db.write('update webhook', (tx) => {
    const before = requireOwn(tx, change.user, id)
    const kinds = patch.kinds ?? kindsOf(before)
    assertMayReceive([...kindsOf(before), ...kinds], change)
    const isFresh = (patch.url ?? before.url) !== before.url || patch.enabled === true
    const row =
      tx.update(webhooks, id, {
        ...patch,
        kinds: [...kinds],
        for_operators: isForOperators(kinds),
        ...(isFresh ? { failures: 0, failing_since: '', strained: false } : {}),
        ...(patch.enabled === undefined ? {} : { disabled_reason: reasonOf(patch.enabled) }),
      }) ?? before
    if (patch.kinds) failPending(tx, id, 'the webhook no longer receives this kind', [...kinds, TEST_KIND])
    if (patch.enabled === false) failPending(tx, id, 'the webhook was disabled')
    else if (isFresh) retryPending(tx, id)
    audit(tx, 'webhook.update', row, change)
    return row
  })
}

const reasonOf = (isEnabled: boolean) => (isEnabled ? '' : 'disabled by its owner')

/** Removes a webhook and its deliveries; audited. @throws AppError `not_found`. */
export function removeWebhook(db: Database, id: string, change: Change): Promise<void> {
  return db.write('remove webhook', (tx) => {
    const row = requireOwn(tx, change.user, id)
    tx.remove(webhooks, id)
    audit(tx, 'webhook.delete', row, change)
  })
}

/** Replaces the secret; the one before signs deliveries too for `ROTATION_MS`. Audited. */
export function rotateSecret(db: Database, id: string, secret: string, change: Change): Promise<Webhook> {
  return db.write('rotate webhook secret', (tx) => {
    const before = requireOwn(tx, change.user, id)
    assertMayReceive(kindsOf(before), change)
    const previous = { previous_secret: before.secret, previous_until: toTimestamp(tx.now + ROTATION_MS) }
    const row = tx.update(webhooks, id, { secret, ...previous }) ?? before
    audit(tx, 'webhook.rotate', row, change)
    return row
  })
}

/**
 * Queues a delivery of the kind `webhook.test`; returns its id.
 * @throws AppError `not_found`, `conflict` (`webhook_disabled`, `too_many_deliveries`).
 */
export function queueTestDelivery(db: Database, user: string, id: string): Promise<string> {
  return db.write('queue test delivery', (tx) => {
    const row = requireOwn(tx, user, id)
    if (!row.enabled) {
      const message = 'The webhook is disabled; enable it first with PATCH {"enabled": true}'
      throw new AppError('conflict', message, { reason: 'webhook_disabled' })
    }
    const kind = TEST_KIND
    const body = bodyOf(kind, { webhook: id }, tx.at)
    const delivery = queueDelivery(tx, { webhook: id, kind, body, isUrgent: true })
    if (delivery !== undefined) return delivery
    const message = 'Too many deliveries of this webhook are pending; wait until its receiver responds again'
    throw new AppError('conflict', message, { reason: 'too_many_deliveries' })
  })
}

/** The kinds of events that a webhook receives. */
export function kindsOf({ kinds }: Pick<Webhook, 'kinds'>): WebhookKindName[] {
  // The routes store names of kinds only.
  return Array.isArray(kinds) ? (kinds as WebhookKindName[]) : []
}

/** A webhook of the user. */
function requireOwn(tx: ReadTx, user: string, id: string): Webhook {
  const row = tx.find(webhooks, id)
  // Other users' webhooks are indistinguishable from missing ones.
  if (!row || row.user !== user) throw notFound()
  return row
}

function assertMayReceive(kinds: readonly WebhookKindName[], { isOperator }: Change): void {
  if (isOperator || !isForOperators(kinds)) return
  const message = 'Events of QPUs and calibrations are for superusers; choose other kinds or log in as one'
  throw new AppError('forbidden', message, { reason: 'operator_kind' })
}

/** The audit log names the host only: the rest of an address may be a secret of the receiver. */
function audit(tx: Tx, action: string, row: Webhook, { actor, personal }: Change): void {
  const { user, enabled } = row
  const detail = { user, host: new URL(row.url).host, kinds: kindsOf(row), enabled }
  appendAudit(tx, { actor, action, subject: row.id, detail, ...(personal ? { personal } : {}) })
}
