import { useApp } from '../../app/app.ts'
import { useRecords } from '../../app/use-resource.ts'
import { formatCount, formatSeconds } from '../../lib/format.ts'
import { Panel } from '../../parts/Panel.tsx'
import { recordCount, timeRequests, type WaitingRequest } from './model.ts'

/** Each number is the total of the list that its link opens. */
const COUNTED = [
  // Superusers submit jobs through accounts of their own, which are not users.
  { title: 'Users', collection: 'users', filter: 'unlimited = false', href: '/users' },
  { title: 'Drivers online', collection: 'drivers', filter: 'status = "online"', href: '/drivers' },
  {
    title: 'Jobs running',
    collection: 'quantum_jobs',
    filter: 'status = "running"',
    href: '/jobs?status=running&user=*',
  },
  {
    title: 'Jobs waiting',
    collection: 'quantum_jobs',
    filter: 'status = "pending"',
    href: '/jobs?status=pending&user=*',
  },
] as const

/** For superusers: how much there is of everything, and who waits for QPU time. */
export function Administration() {
  const { qpus } = useApp()
  const query = { filter: 'status = "pending"', sort: 'created', perPage: '5', expand: 'user' }
  const waiting = useRecords('qpu_time_requests', query, timeRequests).value.value
  return (
    <>
      <ul class="counters">
        <Count title="QPUs" total={qpus.value.value?.length} href="/qpus" />
        {COUNTED.map((counter) => (
          <Counted key={counter.title} {...counter} />
        ))}
        <Count title="Time requests" total={waiting?.totalItems} href="/time-requests" />
      </ul>
      <WaitingRequests waiting={waiting?.items ?? []} />
    </>
  )
}

function Counted({ title, collection, filter, href }: (typeof COUNTED)[number]) {
  const query = { perPage: '1', fields: 'id', filter }
  const total = useRecords(collection, query, recordCount).value.value?.totalItems
  return <Count title={title} total={total} href={href} />
}

function Count({ title, total, href }: { title: string; total: number | undefined; href: string }) {
  return (
    <li>
      <a href={href}>
        <strong>{total === undefined ? '–' : formatCount(total)}</strong> {title}
      </a>
    </li>
  )
}

function WaitingRequests({ waiting }: { waiting: readonly WaitingRequest[] }) {
  if (waiting.length === 0) return null
  return (
    <Panel title="Requests for QPU time" aside={<a href="/time-requests">Decide</a>}>
      <ul class="notices">
        {waiting.map(({ id, seconds, requested_reason, expand }) => (
          <li key={id} class="cluster">
            <strong>{expand?.user?.email || 'A user'}</strong>
            <p>{requested_reason}</p>
            <span>{formatSeconds(seconds)}</span>
          </li>
        ))}
      </ul>
    </Panel>
  )
}
