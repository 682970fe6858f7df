import { useSignal } from '@preact/signals'
import { useEffect, useMemo } from 'preact/hooks'
import { jobCount, jobs as jobsSchema } from '../../api/model/jobs.ts'
import { createResource } from '../../api/resource.ts'
import type { App } from '../../app/app.ts'
import { useApp } from '../../app/app.ts'
import { type Query, useQuery } from '../../app/use-query.ts'
import { useLive, useLoad } from '../../app/use-resource.ts'
import { describeTotals } from '../../jobs/jobs.ts'
import { createOwners } from '../../parts/account/owners.ts'
import { Empty, ErrorBox, Heading, Panel } from '../../parts/Panel.tsx'
import { applyEvent } from './list/apply-event.ts'
import { Filters } from './list/Filters.tsx'
import { FILTERS, orderOf, pageParameters, requestFilters } from './list/filters.ts'
import { JobRows } from './list/JobRows.tsx'
import { createJobPages, type JobPages } from './list/job-pages.ts'
import { SelectionBar } from './list/SelectionBar.tsx'

/** Minimum interval between counts of the user's running and waiting jobs. */
const TOTALS_SPACING_MS = 1_000

/** All jobs of the user, or of everybody for superusers: filters, a list of any length, actions on many. */
export function Jobs() {
  const app = useApp()
  const query = useQuery()
  const filters = requestFilters(query, {
    isSuperuser: app.superuser.value,
    nowMs: Date.now(),
    zone: app.zone.value,
  })
  const selected = useSignal<ReadonlySet<string>>(new Set())
  const whole = scopeOf(app, query)
  const sort = orderOf(query)
  const pages = useMemo(() => listJobs(app, { filters, sort, whole }), [filters, sort])
  const owners = useMemo(() => (app.superuser.value ? createOwners(app) : undefined), [app.superuser.value])
  const totals = useMemo(() => createTotals(app, query), [])
  useEffect(() => pages.close, [pages])
  useLoad(app.live, { load: async () => pages.load(), loadSoon: pages.refresh }, [pages])
  useLoad(app.live, totals)
  useLive('quantum_jobs/*', (event) => {
    totals.loadSoon(TOTALS_SPACING_MS)
    const owner = event.record['user_id'] ?? event.record['user']
    // Jobs of others are not in the list of a user.
    if (!app.superuser.peek() && owner !== app.account.peek()?.id) return
    if (!applyEvent(pages, { filters, qpus: app.qpus.value.peek() ?? [] }, event)) pages.refresh()
  })
  const total = filters === whole ? totals.value.value?.all : pages.total.value
  const user = query.get('user')
  useNeededOwners(pages, owners)
  return (
    <>
      <Heading title="Jobs" lead={totals.value.value && describeTotals(totals.value.value)}>
        <a class="button primary" href="/jobs/new">
          New job
        </a>
      </Heading>
      <Panel
        title="List of jobs"
        aside={<Filters owner={user && user !== 'me' ? owners?.name(user) : undefined} />}
      >
        {pages.error.value && (
          <ErrorBox error={pages.error.value} task="load the jobs" retry={() => pages.refresh()} />
        )}
        {selected.value.size > 0 && (
          <SelectionBar selected={selected} total={total ?? 0} filters={filters} sort={sort} />
        )}
        {total === 0 ? (
          <NoJobs isFiltered={FILTERS.some((name) => query.get(name))} />
        ) : (
          <JobRows
            pages={pages}
            total={total ?? 12}
            selected={selected}
            sort={{ by: sort, set: (by) => query.set({ sort: by === '-created' ? '' : by }) }}
            owner={owners?.name}
          />
        )}
      </Panel>
    </>
  )
}

function listJobs(
  { api }: App,
  { filters, sort, whole }: { filters: string; sort: string; whole: string },
): JobPages {
  return createJobPages({
    read: (skip, limit, abort) =>
      api.get(`/api/jobs?${pageParameters(filters, sort, skip, limit)}`, jobsSchema, abort),
    // The whole list is counted for the heading.
    count:
      filters === whole
        ? undefined
        : async (abort) => (await api.get(`/api/jobs/count?${filters}`, jobCount, abort)).count,
  })
}

/** The parameters of the list without filters. */
function scopeOf({ superuser }: App, query: Query): string {
  const get = (key: string) => (key === 'user' ? query.get('user') : '')
  return requestFilters({ get }, { isSuperuser: superuser.peek(), nowMs: 0, zone: 'UTC' })
}

/** Numbers of the jobs in the heading, whatever the list is filtered by. */
function createTotals(app: App, query: Query) {
  return createResource(async (abort) => {
    const scope = scopeOf(app, query)
    const count = async (status: string) =>
      (await app.api.get(`/api/jobs/count?${scope}${status && `&status=${status}`}`, jobCount, abort)).count
    const [all, running, pending] = await Promise.all([count(''), count('running'), count('pending')])
    return { all: all ?? 0, running: running ?? 0, pending: pending ?? 0 }
  })
}

function useNeededOwners(pages: JobPages, owners: ReturnType<typeof createOwners> | undefined): void {
  const version = pages.version.value
  useEffect(() => {
    owners?.need(pages.loaded().flatMap((job) => job.user_id ?? []))
  }, [pages, version, owners])
}

function NoJobs({ isFiltered }: { isFiltered: boolean }) {
  const query = useQuery()
  if (isFiltered) {
    return (
      <Empty
        action={
          <button
            type="button"
            onClick={() => query.set(Object.fromEntries(FILTERS.map((name) => [name, ''])))}
          >
            Clear the filters
          </button>
        }
      >
        No job matches these filters.
      </Empty>
    )
  }
  return (
    <Empty
      action={
        <a class="button" href="/jobs/new">
          Write the first one
        </a>
      }
    >
      You have no jobs yet. A Bell pair is ready to run.
    </Empty>
  )
}
