import { useSignal } from '@preact/signals'
import { useId } from 'preact/hooks'
import { asApiError } from '../../api/api.ts'
import { accounting, type Usage } from '../../api/model/users.ts'
import { useApp } from '../../app/app.ts'
import { useQuery } from '../../app/use-query.ts'
import { useLive, useResource } from '../../app/use-resource.ts'
import { formatColumnSeconds, formatCount, formatSeconds, inSentence } from '../../lib/format.ts'
import { printWhole } from '../../lib/print.ts'
import { Select } from '../../parts/form/form.tsx'
import { Heading, Loaded, Panel } from '../../parts/Panel.tsx'
import { type Column, DataTable } from '../../parts/table/DataTable.tsx'
import { usePages } from '../../parts/table/Pager.tsx'
import { MonthChart } from './MonthChart.tsx'
import { barsOf, formatMonth, shiftMonth } from './months.ts'

const PAGE = 50
/** Rows on paper; the file has all of them. */
const MAX_PRINTED = 1_000
const MONTHS = 12
/** While jobs end one after the other. */
const SPACING_MS = 3_000
const GROUPS = [
  { by: 'month,user,qpu', label: 'Month, user and QPU' },
  { by: 'month', label: 'Month' },
  { by: 'user', label: 'User' },
  { by: 'qpu', label: 'QPU' },
] as const

/** QPU time and jobs by month, user and QPU: the own ones, for superusers those of everybody. */
export function AccountingPage() {
  const { api, superuser, toast } = useApp()
  const query = useQuery()
  const thisMonth = new Date().toISOString().slice(0, 7)
  const to = query.get('to') || thisMonth
  const from = query.get('from') || shiftMonth(to, 1 - MONTHS)
  const user = query.get('user')
  const by = GROUPS.find((group) => group.by === query.get('by'))?.by ?? 'month,user,qpu'
  const { page, by: order, pages, sort } = usePages(PAGE)
  const search = (more: Record<string, string>) =>
    `/api/accounting?${new URLSearchParams({ from, to, ...(user === '' ? {} : { user }), ...more })}`
  const ordered: Record<string, string> = order === '' ? {} : { sort: order }
  const months = useResource(
    (abort) => api.get(search({ by: 'month', limit: '120' }), accounting, abort),
    [from, to, user],
  )
  const rows = useResource(
    (abort) => {
      const part = { by, ...ordered, skip: String((page - 1) * PAGE), limit: String(PAGE) }
      return api.get(search(part), accounting, abort)
    },
    [from, to, user, by, page, order],
  )
  // A job that has ended adds to its month.
  useLive('quantum_jobs/*', () => {
    months.loadSoon(SPACING_MS)
    rows.loadSoon(SPACING_MS)
  })
  const save = () =>
    api.download(search({ by, format: 'csv' }), `accounting-${from}-${to}.csv`).catch((error: unknown) => {
      toast(asApiError(error).message, 'bad')
    })
  const printed = useSignal<readonly Usage[] | undefined>(undefined)
  const print = async () => {
    try {
      const all = await api.get(search({ by, ...ordered, limit: String(MAX_PRINTED) }), accounting)
      printed.value = all.items
      await printWhole()
    } catch (error) {
      toast(asApiError(error).message, 'bad')
    } finally {
      printed.value = undefined
    }
  }
  const whose = user === '' ? undefined : rows.value.value?.items.find((item) => item.user === user)
  const sums = months.value.value?.items ?? []
  return (
    <>
      <Heading
        title="Accounting"
        lead={months.value.value && describe(sums, { from, to, name: whose?.username || whose?.email || '' })}
      >
        <MonthInput name="From" value={from} max={to} set={(month) => query.set({ from: month, page: '' })} />
        <MonthInput name="To" value={to} min={from} set={(month) => query.set({ to: month, page: '' })} />
        {superuser.value && (
          <a class="button" href={`/accounting?from=${thisMonth}&to=${thisMonth}&by=user&sort=-qpu_seconds`}>
            Who used most this month
          </a>
        )}
        {user !== '' && superuser.value && (
          <button type="button" onClick={() => query.set({ user: '', page: '' })}>
            All users
          </button>
        )}
      </Heading>
      <Panel title="QPU time by month">
        <Loaded of={months} task="load the months" rows={5}>
          {(loaded) => (
            <div class="padded">
              <MonthChart bars={barsOf(loaded)} />
            </div>
          )}
        </Loaded>
      </Panel>
      <Panel
        title="Usage"
        aside={
          <span class="actions">
            <GroupSelect by={by} set={(group) => query.set({ by: group, page: '' })} />
            <button type="button" onClick={() => void save()}>
              Save as CSV
            </button>
            <button type="button" onClick={() => void print()}>
              Print
            </button>
          </span>
        }
      >
        <Loaded of={rows} task="load the usage" rows={8}>
          {({ items }) => (
            <>
              <DataTable
                label="Usage"
                list="usage"
                rows={printed.value ?? items}
                empty="No job ran in these months."
                columns={columnsOf(by, superuser.value)}
                id={(item) => `${item.month} ${item.user} ${item.qpu}`}
                sort={sort}
                pages={printed.value ? undefined : pages}
              />
              {printed.value?.length === MAX_PRINTED && <Cut />}
            </>
          )}
        </Loaded>
      </Panel>
    </>
  )
}

function Cut() {
  return <p class="padded">The first {formatCount(MAX_PRINTED)} rows; the CSV file has all of them.</p>
}

function describe(items: readonly Usage[], range: { from: string; to: string; name: string }): string {
  const seconds = items.reduce((sum, item) => sum + item.qpu_seconds, 0)
  const jobs = items.reduce((sum, item) => sum + item.jobs, 0)
  const what = `${formatSeconds(Math.round(seconds * 1_000) / 1_000)} of QPU time in ${formatCount(jobs)} ${jobs === 1 ? 'job' : 'jobs'}`
  const whose = range.name === '' ? '' : ` of ${range.name}`
  return `${what}${whose} from ${formatMonth(range.from)} to ${formatMonth(range.to)}.`
}

function columnsOf(by: string, superuser: boolean): Column<Usage>[] {
  const groups = by.split(',')
  const nameOf = ({ username, email, user }: Usage) => username || email || `removed user ${user}`
  const names: (Column<Usage> | false)[] = [
    groups.includes('month') && { title: 'Month', cell: ({ month }) => formatMonth(month) },
    groups.includes('user') && superuser && { title: 'User', cell: nameOf, phone: 'state' },
    groups.includes('qpu') && { title: 'QPU', cell: ({ qpu_name, qpu }) => qpu_name || `removed QPU ${qpu}` },
  ]
  const shown = names.filter((column) => column !== false)
  return [
    ...(shown.length === 0 ? [{ title: 'User', cell: () => 'You' }] : shown),
    {
      title: 'Jobs',
      number: true,
      sort: 'jobs',
      cell: ({ jobs }) => formatCount(jobs),
    },
    {
      title: 'QPU time',
      number: true,
      sort: 'qpu_seconds',
      cell: ({ qpu_seconds }) => formatColumnSeconds(qpu_seconds),
    },
    {
      title: 'Charged',
      number: true,
      sort: 'charged_seconds',
      cell: ({ charged_seconds }) => formatColumnSeconds(charged_seconds),
    },
  ]
}

interface MonthInputProps {
  name: string
  value: string
  min?: string
  max?: string
  set: (month: string) => void
}

function MonthInput({ name, value, set, ...limits }: MonthInputProps) {
  const id = useId()
  return (
    <span class="month">
      <label for={id}>{name}</label>
      <input
        id={id}
        type="month"
        value={value}
        {...limits}
        onChange={({ currentTarget }) => {
          if (/^\d{4}-\d{2}$/.test(currentTarget.value)) set(currentTarget.value)
        }}
      />
    </span>
  )
}

function GroupSelect({ by, set }: { by: string; set: (by: string) => void }) {
  return (
    <Select
      aria-label="Rows by"
      value={by}
      choices={GROUPS.map((group) => [group.by, `By ${inSentence(group.label)}`])}
      set={set}
    />
  )
}
