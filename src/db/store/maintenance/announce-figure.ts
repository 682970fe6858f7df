import { queueAlertMails } from '../../journal/mail-items.ts'
import { queueWebhookEvent } from '../../journal/webhook-events.ts'
import type { Tx } from '../../records/tx.ts'

/** A figure of the service with the limit that it crossed. */
interface CrossedFigure {
  /** Name of its metric. */
  metric: string
  /** Null = infinite. */
  value: number | null
  from: number | null
  below: number | null
}

/**
 * Announces that a figure of the service is beyond its limit, or within it again. `text`: the same in a
 * sentence, for mails.
 */
export function announceFigure(
  tx: Tx,
  kind: 'service.breached' | 'service.cleared',
  figure: CrossedFigure,
  text: string,
): void {
  queueWebhookEvent(tx, { kind, data: { ...figure, at: tx.at } })
  queueAlertMails(tx, { of: figure.metric, isBreach: kind === 'service.breached', text })
}
