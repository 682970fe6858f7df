import { useSignal } from '@preact/signals'
import type { ComponentChildren } from 'preact'
import { useEffect } from 'preact/hooks'
import { type ApiError, asApiError } from '../../api/api.ts'
import { type LedgerEntry, ledger } from '../../api/model/users.ts'
import { useApp } from '../../app/app.ts'
import { formatColumnSeconds } from '../../lib/format.ts'
import { Moment } from '../../parts/Moment.tsx'
import { Empty, ErrorBox, Panel } from '../../parts/Panel.tsx'
import { type Column, DataTable } from '../../parts/table/DataTable.tsx'
import { JobName } from '../jobs/JobTable.tsx'
import { withBalances } from './balances.ts'

const PAGE = 25

/** Every change of the own balance, newest first, with the balance after it. */
export function Ledger({ balance }: { balance: number }) {
  const { api } = useApp()
  const entries = useSignal<readonly LedgerEntry[] | undefined>(undefined)
  const next = useSignal<number | null>(null)
  const failed = useSignal<ApiError | undefined>(undefined)
  const load = async (before: number | null) => {
    try {
      const from = before === null ? '' : `&before=${before}`
      const page = await api.get(`/api/ledger?limit=${PAGE}${from}`, ledger)
      entries.value = [...(before === null ? [] : (entries.peek() ?? [])), ...page.entries]
      next.value = page.next
      failed.value = undefined
    } catch (error) {
      failed.value = asApiError(error)
    }
  }
  // A change of the balance is a new entry.
  useEffect(() => void load(null), [balance])
  const rows = withBalances(entries.value ?? [], balance)
  return (
    <Panel
      title="History of the balance"
      aside={<a href="/docs/reference/jobs#charges">How jobs are charged</a>}
    >
      {failed.value && (
        <ErrorBox error={failed.value} task="load the history" retry={() => void load(next.peek())} />
      )}
      {entries.value?.length === 0 && <Empty>Your balance has not changed yet.</Empty>}
      {rows.length > 0 && (
        <DataTable
          label="History of the balance"
          rows={rows}
          columns={COLUMNS}
          id={({ at, source }) => at + source}
        />
      )}
      {next.value !== null && (
        <p class="padded">
          <button type="button" onClick={() => void load(next.peek())}>
            Show earlier changes
          </button>
        </p>
      )}
    </Panel>
  )
}

type Row = LedgerEntry & { after: number }

const COLUMNS: Column<Row>[] = [
  { title: 'Time', cell: ({ at }) => <Moment at={at} /> },
  { title: 'Description', cell: describe },
  { title: 'Change', number: true, cell: ({ seconds }) => signed(seconds), phone: 'state' },
  { title: 'Balance', number: true, cell: ({ after }) => formatColumnSeconds(after) },
]

const OTHERS = {
  grant: 'Approved request',
  admin: 'Set by a superuser',
  opening: 'Initial balance',
  session: 'Session',
}

function describe({ kind, source, name }: Row): ComponentChildren {
  if (kind === 'charge' || kind === 'refund') {
    const text = kind === 'refund' ? 'Recalled: ' : ''
    return (
      <a href={`/jobs/${source}`}>
        {text}
        <JobName of={{ id: source, name }} />
      </a>
    )
  }
  return OTHERS[kind]
}

function signed(seconds: number): string {
  return `${seconds < 0 ? '−' : '+'} ${formatColumnSeconds(Math.abs(seconds))}`
}
