import type { Database, Values } from '../../db/index.ts'
import { GAUGES } from '../../db/store/maintenance/index.ts'
import { OPERATIONS } from '../../protocol/index.ts'
import { type Metric, metric, type Reading, readable, type Sample, type Unread } from './exposition.ts'

type Sizes = Values<typeof GAUGES>
type Gauges = { readonly [Name in keyof Sizes]: Sizes[Name] | Unread }

/**
 * Metrics of the current sizes in the database, from one snapshot; where that cannot be read each is read
 * alone, so that a table that is damaged or refused ends only the metrics that count it.
 */
export async function readGauges(db: Pick<Database, 'read'>): Promise<Metric[]> {
  const all = await readable(() => db.read((tx) => tx.read(GAUGES)))
  const gauges = 'problem' in all ? await readEach(db) : all
  return [...queues(gauges), ...leases(gauges), ...deliveries(gauges), ...stored(gauges)]
}

async function readEach(db: Pick<Database, 'read'>): Promise<Gauges> {
  const found: [string, unknown][] = []
  for (const [name, query] of Object.entries(GAUGES))
    found.push([name, await readable(() => db.read((tx) => tx.read(query)))])
  return Object.fromEntries(found) as Gauges
}

function queues(gauges: Gauges): Metric[] {
  const byStatus = (pending: Reading, running: Reading): Sample[] => [
    { labels: { status: 'pending' }, value: pending },
    { labels: { status: 'running' }, value: running },
  ]
  return [
    metric('svc_jobs', 'Jobs that have not ended; pending does not include held jobs', [
      ...byStatus(gauges.pendingJobs, gauges.runningJobs),
      { labels: { status: 'held' }, value: gauges.heldJobs },
    ]),
    metric(
      'svc_calibrations',
      'Calibrations that have not ended',
      byStatus(gauges.pendingCalibrations, gauges.runningCalibrations),
    ),
  ]
}

/** Every combination, also with 0: an alert cannot compare a series that is absent. */
function leases({ leases: found, lostDrivers }: Gauges): Metric[] {
  const countOf = (operation: string, state: string): Reading =>
    'problem' in found
      ? found
      : (found.find((lease) => lease.operation === operation && lease.state === state)?.count ?? 0)
  const samples = OPERATIONS.flatMap((operation) =>
    ['granted', 'attached'].map((state) => ({
      labels: { operation, state },
      value: countOf(operation, state),
    })),
  )
  return [
    metric('svc_drivers', 'Drivers with a lease, by operation and state of the socket', samples),
    metric('svc_drivers_lost', 'Enabled drivers that were connected and are not', lostDrivers),
  ]
}

function deliveries({ pendingDeliveries, failingWebhooks, waitingMailItems }: Gauges): Metric[] {
  return [
    metric('svc_webhook_deliveries_pending', 'Deliveries to webhooks that have not ended', pendingDeliveries),
    metric('svc_webhooks_failing', 'Enabled webhooks whose last attempt failed', failingWebhooks),
    metric('svc_mail_items_waiting', 'Events that wait to be mailed to users', waitingMailItems),
  ]
}

function stored({ jobBytes }: Gauges): Metric[] {
  return [metric('svc_job_bytes', 'Size of the stored jobs of all users', jobBytes)]
}
