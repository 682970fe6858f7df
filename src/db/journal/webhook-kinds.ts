/** A kind of event that webhooks can receive. */
interface WebhookKind {
  /** Who may register for it: a user for events of their own, or superusers only. */
  readonly audience: 'owner' | 'operator'
  /** One sentence for the reference. */
  readonly summary: string
}

/**
 * Every kind of event, declared once: the routes accept these names, and `queueWebhookEvent` sends events of
 * them. `docs/how-to/webhooks.md` describes the data of each.
 */
export const WEBHOOK_KINDS = {
  'job.ended': { audience: 'owner', summary: 'A job of yours has completed, failed or was cancelled' },
  'qpu.changed': {
    audience: 'operator',
    summary: 'A QPU went online or offline, was enabled or disabled, or its maintenance or draining changed',
  },
  'threshold.breached': { audience: 'operator', summary: 'A channel of a monitor has exceeded a threshold' },
  'threshold.cleared': { audience: 'operator', summary: 'It is within the threshold again' },
  'service.breached': { audience: 'operator', summary: 'A figure of the service is beyond its limit' },
  'service.cleared': { audience: 'operator', summary: 'It is within its limit again' },
  'calibration.ended': { audience: 'operator', summary: 'A calibration was reported or has failed' },
} as const satisfies Record<string, WebhookKind>

export type WebhookKindName = keyof typeof WEBHOOK_KINDS

/** Their names, for schemas. */
export const WEBHOOK_KIND_NAMES = Object.keys(WEBHOOK_KINDS) as [WebhookKindName, ...WebhookKindName[]]

/** Whether only superusers may register for one of these kinds. */
export function isForOperators(kinds: readonly WebhookKindName[]): boolean {
  return kinds.some((kind) => WEBHOOK_KINDS[kind].audience === 'operator')
}
