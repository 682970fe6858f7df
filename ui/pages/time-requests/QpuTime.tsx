import { savedTimeRequest, type TimeRequest, timeRequests } from '../../api/model/users.ts'
import { useApp } from '../../app/app.ts'
import { useLive, useResource } from '../../app/use-resource.ts'
import { formatSeconds } from '../../lib/format.ts'
import { FormActions, TextField, useForm } from '../../parts/form/form.tsx'
import { Moment } from '../../parts/Moment.tsx'
import { Heading, Loaded, Panel } from '../../parts/Panel.tsx'
import { type Column, DataTable } from '../../parts/table/DataTable.tsx'
import { useAction } from '../../parts/use-confirm.ts'
import { parseAmount } from './amount.ts'
import { Ledger } from './Ledger.tsx'
import { RequestStatus } from './RequestStatus.tsx'

const RECENT = 20

/** The balance of a user: where it came from, where it went, and requests for more. */
export function QpuTimePage() {
  const { superuser } = useApp()
  return superuser.value ? <ForSuperusers /> : <ForUsers />
}

function ForSuperusers() {
  return (
    <>
      <Heading title="QPU time" lead="Superusers have no balance: their jobs are never charged." />
      <div class="actions">
        <a class="button" href="/time-requests">
          Requests of users
        </a>
        <a class="button" href="/accounting">
          Accounting
        </a>
      </div>
    </>
  )
}

function ForUsers() {
  const { account, api, named } = useApp()
  const act = useAction()
  const path = `/api/collections/${named('qpu_time_requests')}/records`
  const who = account.value?.id ?? ''
  const requests = useResource(
    (abort) => {
      const filter = `user = "${who}"`
      const query = new URLSearchParams({ filter, sort: '-created', perPage: String(RECENT) })
      return api.get(`${path}?${query}`, timeRequests, abort)
    },
    [who],
  )
  useLive('qpu_time_requests/*', () => requests.loadSoon())
  const balance = account.value?.qpu_seconds ?? 0
  const open = requests.value.value?.items.find(({ status }) => status === 'pending')
  const withdraw = async ({ id }: TimeRequest) => {
    const question = { title: 'Withdraw the request?', action: 'Withdraw the request' }
    const isGone = await act(question, () => api.remove(`${path}/${id}`), 'The request was withdrawn.')
    if (isGone) requests.loadSoon()
  }
  const lead = (
    <>
      You have <strong>{formatSeconds(balance)}</strong> left.
      {open && ` Your request for ${formatSeconds(open.seconds)} is waiting for a decision.`}
    </>
  )
  return (
    <>
      <Heading title="QPU time" lead={lead}>
        <a class="button" href="/accounting">
          Usage by month
        </a>
      </Heading>
      <div class="time-panels">
        <RequestForm path={path} onSent={() => requests.loadSoon()} />
        <Panel title="Your requests">
          <Loaded of={requests} task="load your requests" rows={3}>
            {({ items }) => (
              <DataTable
                empty="You have not requested QPU time yet."
                label="Your requests"
                rows={items}
                columns={columnsOf(withdraw)}
                id={({ id }) => id}
              />
            )}
          </Loaded>
        </Panel>
      </div>
      {account.value?.qpu_seconds !== undefined && <Ledger balance={balance} />}
    </>
  )
}

const columnsOf = (withdraw: (request: TimeRequest) => Promise<void>): Column<TimeRequest>[] => [
  { title: 'Requested', cell: ({ created }) => <Moment at={created} /> },
  { title: 'Amount', number: true, cell: ({ seconds }) => formatSeconds(seconds) },
  { title: 'State', phone: 'state', cell: (request) => <RequestStatus request={request} /> },
  { title: 'Purpose', phone: 'wide', cell: ({ requested_reason }) => requested_reason },
  {
    title: 'Actions',
    untitled: true,
    cell: (request) =>
      request.status === 'pending' && (
        <button type="button" class="link" onClick={() => void withdraw(request)}>
          Withdraw
        </button>
      ),
  },
]

function RequestForm({ path, onSent }: { path: string; onSent: () => void }) {
  const { api, toast } = useApp()
  const form = useForm({
    initial: { seconds: '', requested_reason: '' },
    check: ({ seconds, requested_reason }) => ({
      ...(parseAmount(seconds) === undefined ? { seconds: 'Enter an amount such as 1h 30m.' } : {}),
      ...(requested_reason.trim() === '' ? { requested_reason: 'Enter what the time is for.' } : {}),
    }),
    async submit({ seconds, requested_reason }) {
      await api.post(path, { seconds: parseAmount(seconds), requested_reason }, savedTimeRequest)
      form.reset()
      toast('The request was sent.')
      onSent()
    },
  })
  const amount = parseAmount(form.values.value.seconds)
  return (
    <Panel title="Request QPU time">
      <form class="padded form" onSubmit={form.submit}>
        <TextField
          form={form}
          name="seconds"
          label="Amount"
          placeholder="1h 30m"
          autocomplete="off"
          hint={amount === undefined ? 'Hours, minutes and seconds, such as 1h 30m.' : formatSeconds(amount)}
        />
        <TextField form={form} name="requested_reason" label="Purpose" autocomplete="off" />
        <FormActions form={form} action="Send the request" />
      </form>
    </Panel>
  )
}
