import type { TimeRequest, UserActivity } from '../../api/model/users.ts'
import { formatColumnSeconds, formatSeconds } from '../../lib/format.ts'
import { Moment } from '../../parts/Moment.tsx'
import type { Column } from '../../parts/table/DataTable.tsx'
import { RequestStatus } from './RequestStatus.tsx'

/** What a superuser decides about: a request, and how much its user uses. */
export type RequestRow = TimeRequest & { activity: UserActivity | undefined }

/** The user who made a request. */
export function nameOf({ expand, user }: TimeRequest): string {
  return expand?.user?.username || expand?.user?.email || user
}

interface Decisions {
  approve: (request: TimeRequest) => void
  reject: (request: TimeRequest) => Promise<void>
}

/** The columns of open requests, with their decision, and of processed ones. */
export function columnsOf(shown: 'open' | 'processed', { approve, reject }: Decisions): Column<RequestRow>[] {
  if (shown === 'processed') return [...COMMON, ...PROCESSED]
  return [
    ...COMMON,
    ...OPEN,
    {
      title: 'Decision',
      untitled: true,
      number: true,
      phone: 'wide',
      cell: (row) => (
        <span class="row-actions">
          <button
            type="button"
            aria-label={`Approve… the request of ${nameOf(row)}`}
            onClick={() => approve(row)}
          >
            Approve…
          </button>
          <button
            type="button"
            aria-label={`Reject… the request of ${nameOf(row)}`}
            onClick={() => void reject(row)}
          >
            Reject…
          </button>
        </span>
      ),
    },
  ]
}

const COMMON: Column<RequestRow>[] = [
  { title: 'User', cell: nameOf },
  { title: 'Requested', number: true, cell: ({ seconds }) => formatSeconds(seconds), phone: 'state' },
  { title: 'Purpose', cell: ({ requested_reason }) => requested_reason, phone: 'wide' },
]

const OPEN: Column<RequestRow>[] = [
  {
    title: 'Balance',
    number: true,
    cell: ({ expand }) => formatSeconds(expand?.user?.qpu_seconds ?? 0),
  },
  {
    title: 'Used, last 30 days',
    number: true,
    cell: ({ activity }) => formatColumnSeconds(activity?.qpu_seconds ?? 0),
  },
  { title: 'Requested on', cell: ({ created }) => <Moment at={created} /> },
]

const PROCESSED: Column<RequestRow>[] = [
  { title: 'State', cell: (request) => <RequestStatus request={request} /> },
  { title: 'Decided', cell: ({ updated }) => <Moment at={updated} /> },
  { title: 'By', cell: ({ handled_by }) => handled_by },
]
