import { useSignal } from '@preact/signals'
import { savedTimeRequest, type TimeRequest, timeRequests } from '../../api/model/users.ts'
import { useApp } from '../../app/app.ts'
import { useQuery } from '../../app/use-query.ts'
import { useLive, useResource } from '../../app/use-resource.ts'
import { formatNumberOf, formatSeconds, sentence } from '../../lib/format.ts'
import { Heading, Loaded, Panel } from '../../parts/Panel.tsx'
import { Tabs } from '../../parts/Tabs.tsx'
import { DataTable } from '../../parts/table/DataTable.tsx'
import { usePages } from '../../parts/table/Pager.tsx'
import { useAsk } from '../../parts/use-confirm.ts'
import { ApproveDialog } from './ApproveDialog.tsx'
import { readActivity } from './activity.ts'
import { columnsOf, nameOf, type RequestRow } from './request-columns.tsx'

const PAGE = 25
const TABS = [
  { id: 'open', title: 'Open' },
  { id: 'processed', title: 'Processed' },
] as const

/** Requests for QPU time, which superusers approve, with another amount if they want, or reject. */
export function TimeRequestsPage() {
  const { api, attempt, named, toast } = useApp()
  const query = useQuery()
  const ask = useAsk()
  const approved = useSignal<TimeRequest | undefined>(undefined)
  const path = `/api/collections/${named('qpu_time_requests')}/records`
  const shown = query.get('state') === 'processed' ? 'processed' : 'open'
  const { page, pages } = usePages(PAGE)
  const rows = useResource(
    async (abort) => {
      const isOpen = shown === 'open'
      const search = new URLSearchParams({
        filter: `status ${isOpen ? '=' : '!='} "pending"`,
        sort: isOpen ? 'created' : '-updated',
        page: String(page),
        perPage: String(PAGE),
        expand: 'user',
      })
      const { items, totalItems } = await api.get(`${path}?${search}`, timeRequests, abort)
      const activity = await readActivity(
        api,
        items.map(({ user }) => user),
        abort,
      )
      return {
        total: totalItems,
        items: items.map((item): RequestRow => ({ ...item, activity: activity.get(item.user) })),
      }
    },
    [shown, page],
  )
  useLive('qpu_time_requests/*', () => rows.loadSoon())
  const decide = async ({ id }: TimeRequest, change: object, done: string) => {
    await attempt(async () => {
      await api.patch(`${path}/${id}`, change, savedTimeRequest)
      toast(done)
    })
    rows.loadSoon()
  }
  const reject = async (request: TimeRequest) => {
    const { confirmed, reason } = await ask({
      title: `Reject ${formatSeconds(request.seconds)} for ${nameOf(request)}?`,
      body: 'The user reads the reason.',
      action: 'Reject the request',
      tone: 'bad',
      reason: { label: 'Reason', required: true },
    })
    const change = { status: 'rejected', rejection_reason: reason }
    if (confirmed) await decide(request, change, 'The request was rejected.')
  }
  const approve = (request: TimeRequest) => {
    approved.value = request
  }
  const loaded = rows.value.value
  return (
    <>
      <Heading title="Time requests" lead={shown === 'open' && loaded && describeOpen(loaded.total)} />
      <Panel title="Requests for QPU time">
        <Tabs
          label="State"
          tabs={TABS}
          selected={shown}
          onSelect={(state) => query.set({ state: state === 'open' ? '' : state, page: '' })}
        >
          <Loaded of={rows} task="load the requests" rows={5}>
            {({ items, total }) => (
              <DataTable
                label="Requests for QPU time"
                rows={items}
                empty={shown === 'open' ? 'There is no open request.' : 'No request was decided yet.'}
                columns={columnsOf(shown, { approve, reject })}
                id={({ id }) => id}
                pages={{ ...pages, total }}
              />
            )}
          </Loaded>
        </Tabs>
      </Panel>
      <ApproveDialog
        request={approved}
        name={approved.value ? nameOf(approved.value) : ''}
        onApprove={(request, seconds) => {
          const change = { status: 'approved', granted_seconds: seconds }
          return decide(request, change, `${nameOf(request)} has ${formatSeconds(seconds)} more.`)
        }}
      />
    </>
  )
}

function describeOpen(total: number): string {
  if (total === 0) return 'No request is waiting for a decision.'
  return `${sentence(formatNumberOf(total, 'request'))} ${total === 1 ? 'is' : 'are'} waiting for a decision.`
}
