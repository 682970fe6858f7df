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

/** Announces that a figure of the service is beyond its limit, or within it again. */
export function announceFigure(
  tx: Tx,
  kind: 'service.breached' | 'service.cleared',
  figure: CrossedFigure,
): void {
  queueWebhookEvent(tx, { kind, data: () => ({ ...figure, at: tx.at }) })
}
