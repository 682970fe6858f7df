import { type Metric, metric } from './exposition.ts'

/** Metrics of a server that shares its database; it leads in `epoch`, or is on standby. */
export function ofLease(epoch: number | undefined): Metric[] {
  const isLeading = metric(
    'svc_leader',
    '1 while this server leads, 0 on standby',
    epoch === undefined ? 0 : 1,
  )
  if (epoch === undefined) return [isLeading]
  const help = 'How often a server has begun to lead, this one included'
  return [isLeading, metric('svc_leader_epoch', help, epoch)]
}
