export { webhooks } from '../../collections/webhooks.ts'
export { queueWebhookEvent } from '../../journal/webhook-events.ts'
export { WEBHOOK_KIND_NAMES, WEBHOOK_KINDS, type WebhookKindName } from '../../journal/webhook-kinds.ts'
export {
  type Attempt,
  type DueDelivery,
  type DueWebhook,
  type ListedDelivery,
  listDeliveries,
  listDueDeliveries,
  listDueWebhooks,
  recordAttempt,
  settleWebhook,
} from './deliveries.ts'
export {
  createWebhook,
  findWebhook,
  hasWebhooks,
  kindsOf,
  listWebhooks,
  queueTestDelivery,
  removeWebhook,
  rotateSecret,
  updateWebhook,
  type Webhook,
} from './webhooks.ts'
