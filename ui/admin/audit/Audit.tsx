import { useSignal } from '@preact/signals'
import { useMemo } from 'preact/hooks'
import { asApiError } from '../../api/api.ts'
import { useApp } from '../../app/app.ts'
import { type Query, useQuery } from '../../app/use-query.ts'
import { useResource } from '../../app/use-resource.ts'
import { DayRange } from '../../parts/form/DayRange.tsx'
import { Empty, Heading, Loaded, Panel } from '../../parts/Panel.tsx'
import { AuditTable } from './AuditTable.tsx'
import { ChainCheck } from './ChainCheck.tsx'
import { type AuditEntry, auditPage } from './model.ts'

const PAGE = 100
/** Requests for one page of a rare filter; each examines 20,000 entries. */
const MAX_REQUESTS = 10
const FILTERS = [
  { name: 'action', label: 'Action', hint: 'job or job.hold' },
  { name: 'actor', label: 'Actor', hint: 'E-mail, superuser:ID, cli' },
  { name: 'subject', label: 'Record', hint: 'Id of the changed record' },
  { name: 'address', label: 'Address', hint: '192.0.2.7' },
] as const

interface Shown {
  entries: readonly AuditEntry[]
  next: number | null
}

/** The audit log: who did what, filtered, as a file, and the check that nothing was changed. */
export function Audit() {
  const { api, toast } = useApp()
  const query = useQuery()
  const filter = filterOf(query)
  const key = JSON.stringify(filter)
  const busy = useSignal(false)
  const read = useMemo(
    () =>
      async (before: number | null, abort?: AbortSignal): Promise<Shown> => {
        let found: Shown = { entries: [], next: before }
        for (let request = 0; request < MAX_REQUESTS; request += 1) {
          const search = new URLSearchParams({
            ...filter,
            limit: String(PAGE),
            ...(found.next !== null && { before: String(found.next) }),
          })
          const page = await api.get(`/api/op/audit?${search}`, auditPage, abort)
          found = { entries: [...found.entries, ...page.entries], next: page.next }
          if (page.next === null || found.entries.length >= PAGE) break
        }
        return found
      },
    [key],
  )
  const list = useResource<Shown>((abort) => read(null, abort), [key])
  const more = async () => {
    const shown = list.value.peek()
    if (!shown || busy.peek()) return
    busy.value = true
    try {
      const older = await read(shown.next)
      list.value.value = { entries: [...shown.entries, ...older.entries], next: older.next }
    } catch (error) {
      toast(`Could not load older entries: ${asApiError(error).message}`, 'bad')
    }
    busy.value = false
  }
  const save = async () => {
    try {
      await api.download(`/api/op/audit?${new URLSearchParams({ ...filter, format: 'csv' })}`, 'audit.csv')
    } catch (error) {
      toast(`Could not export: ${asApiError(error).message}`, 'bad')
    }
  }
  const isFiltered = Object.keys(filter).length > 0
  return (
    <>
      <Heading
        title="Audit log"
        lead="Every entry contains the hash of the previous one, so that later changes can be detected."
      >
        <button type="button" onClick={() => void save()}>
          Export CSV
        </button>
      </Heading>
      <div class="stack">
        <ChainCheck />
        <Panel
          title="Entries"
          aside={
            isFiltered && (
              <button type="button" class="quiet" onClick={() => query.set(NO_FILTER)}>
                Show all
              </button>
            )
          }
        >
          <Filters query={query} />
          <Loaded of={list} task="load the audit log" rows={10}>
            {({ entries, next }) => (
              <>
                {entries.length === 0 ? (
                  <Empty>
                    {next === null
                      ? 'No entry matches.'
                      : 'No entry matches so far. Older ones have not been searched.'}
                  </Empty>
                ) : (
                  <AuditTable entries={entries} filter={(changes) => query.set(changes)} />
                )}
                {next !== null && (
                  <p class="more">
                    <button type="button" aria-disabled={busy.value} onClick={more}>
                      {busy.value ? 'Searching' : 'Older entries'}
                    </button>
                  </p>
                )}
              </>
            )}
          </Loaded>
        </Panel>
      </div>
    </>
  )
}

const NO_FILTER = { action: '', actor: '', subject: '', address: '', from: '', to: '' }

function filterOf(query: Query): Record<string, string> {
  const names = [...FILTERS.map(({ name }) => name), 'from', 'to']
  return Object.fromEntries(
    names.flatMap((name) => {
      const value = query.get(name).trim()
      return value === '' ? [] : [[name, value]]
    }),
  )
}

function Filters({ query }: { query: Query }) {
  return (
    <div class="filter-grid">
      {FILTERS.map(({ name, label, hint }) => (
        <label key={name}>
          {label}
          <input
            type="search"
            placeholder={hint}
            value={query.get(name)}
            maxLength={200}
            onChange={({ currentTarget }) => query.set({ [name]: currentTarget.value })}
          />
        </label>
      ))}
      <DayRange zone="UTC" from={query.get('from')} to={query.get('to')} set={(part) => query.set(part)} />
    </div>
  )
}
