import { useRecords } from '../../app/use-records.ts'
import { formatCount, formatSeconds } from '../../lib/format.ts'
import { Panel } from '../../parts/Panel.tsx'
import { recordCount, timeRequests } from './model.ts'

interface Counter {
  title: string
  collection: string
  filter?: string
  href: string
}

/** Each number is the total of the list that its link opens. */
const COUNTERS: readonly Counter[] = [
  // Superusers submit jobs through accounts of their own, which are not users.
  { title: 'Users', collection: 'users', filter: 'unlimited = false', href: '/users' },
  { title: 'QPUs', collection: 'qpus', href: '/qpus' },
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
  {
    title: 'Time requests',
    collection: 'qpu_time_requests',
    filter: 'status = "pending"',
    href: '/time-requests',
  },
]

/** For superusers: how much there is of everything, and who waits for QPU time. */
export function Administration() {
  return (
    <>
      <ul class="counters">
        {COUNTERS.map((counter) => (
          <Count key={counter.title} {...counter} />
        ))}
      </ul>
      <WaitingRequests />
    </>
  )
}

function Count({ title, collection, filter, href }: Counter) {
  const query = { perPage: '1', fields: 'id', ...(filter && { filter }) }
  const total = useRecords(collection, query, recordCount).value.value?.totalItems
  return (
    <li>
      <a href={href}>
        <strong>{total === undefined ? '–' : formatCount(total)}</strong> {title}
      </a>
    </li>
  )
}

function WaitingRequests() {
  const query = { filter: 'status = "pending"', sort: 'created', perPage: '5', expand: 'user' }
  const waiting = useRecords('qpu_time_requests', query, timeRequests).value.value?.items ?? []
  if (waiting.length === 0) return null
  return (
    <Panel title="Requests for QPU time" aside={<a href="/time-requests">Decide</a>}>
      <ul class="notices">
        {waiting.map(({ id, seconds, requested_reason, expand }) => (
          <li key={id}>
            <strong>{expand?.user?.email || 'A user'}</strong>
            <p>{requested_reason}</p>
            <span>{formatSeconds(seconds)}</span>
          </li>
        ))}
      </ul>
    </Panel>
  )
}
