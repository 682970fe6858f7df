import { calibrationRequests, listedReports, tuners } from '../../api/model/calibrations.ts'
import { useApp } from '../../app/app.ts'
import { useQuery } from '../../app/use-query.ts'
import { useLive, useResource } from '../../app/use-resource.ts'
import { formatNumberOf } from '../../lib/format.ts'
import { Select } from '../../parts/form/form.tsx'
import { Empty, Heading, Loaded, Panel } from '../../parts/Panel.tsx'
import { usePages } from '../../parts/table/Pager.tsx'
import { Dispatch } from './Dispatch.tsx'
import { FinishedTable } from './FinishedTable.tsx'
import { QueueTable } from './QueueTable.tsx'
import { quoted, REPORT_FIELDS, REQUEST_FIELDS, recordsPath } from './records.ts'

const PAGE = 25
/** A running calibration changes its progress up to ten times per second. */
const RELOAD_MS = 1_000

/** The queue of calibrations and the reports of those that ended. */
export function CalibrationsPage() {
  const app = useApp()
  const { api } = app
  const query = useQuery()
  const { page, by, pages, sort } = usePages(PAGE, '-finished_at')
  const tuner = query.get('tuner')
  const mine = tuner ? ` && driver=${quoted(tuner)}` : ''
  const drivers = useResource((abort) =>
    api.get(
      recordsPath(app, 'drivers', { filter: "operation='calibrate'", sort: 'name', perPage: 200 }),
      tuners,
      abort,
    ),
  )
  const queue = useResource(
    (abort) =>
      api.get(
        recordsPath(app, 'calibration_requests', {
          filter: `(status='pending' || status='running')${mine}`,
          sort: 'created',
          perPage: 100,
          fields: REQUEST_FIELDS,
        }),
        calibrationRequests,
        abort,
      ),
    [tuner],
  )
  const failed = useResource(
    (abort) =>
      api.get(
        recordsPath(app, 'calibration_requests', {
          filter: `status='failed' && result=''${mine}`,
          sort: '-finished_at',
          perPage: 5,
          fields: REQUEST_FIELDS,
          skipTotal: 1,
        }),
        calibrationRequests,
        abort,
      ),
    [tuner],
  )
  const readReports = (at: number, perPage: number, abort?: AbortSignal) =>
    api.get(
      recordsPath(app, 'calibration_results', {
        sort: by,
        page: at,
        perPage,
        fields: `${REPORT_FIELDS},expand.request.requested_by`,
        expand: app.superuser.value ? 'request' : undefined,
        filter: tuner ? `driver=${quoted(tuner)}` : undefined,
      }),
      listedReports,
      abort,
    )
  const reports = useResource((abort) => readReports(page, PAGE, abort), [tuner, page, by])
  useLive('calibration_requests/*', (event) => {
    queue.loadSoon(RELOAD_MS)
    if (event.record['status'] !== 'failed' && event.record['status'] !== 'done') return
    failed.loadSoon(RELOAD_MS)
    reports.loadSoon(RELOAD_MS)
  })
  useLive('calibration_results/*', () => reports.loadSoon(RELOAD_MS))

  const known = drivers.value.value?.items
  const newest = reports.value.value?.items[0]?.qpu ?? ''
  const { running, waiting } = countQueue(queue.value.value?.items ?? [])
  const lead =
    queue.value.value &&
    (running + waiting === 0
      ? 'No calibration is running or waiting.'
      : `${formatNumberOf(running, 'calibration')} running, ${formatNumberOf(waiting, 'calibration')} waiting.`)
  return (
    <>
      <Heading title="Calibrations" lead={lead && lead.charAt(0).toUpperCase() + lead.slice(1)}>
        <a class="button" href={`/calibrations/history${newest && `?qpu=${newest}`}`}>
          History of a parameter
        </a>
      </Heading>
      <div class="stack">
        {app.superuser.value && <Dispatch tuners={known} onDispatched={() => queue.loadSoon(0)} />}
        <Panel
          title="Queue"
          aside={
            <TunerFilter
              tuners={known ?? []}
              chosen={tuner}
              choose={(id) => query.set({ tuner: id, page: '' })}
            />
          }
        >
          <Loaded of={queue} task="load the queue of calibrations" rows={2}>
            {({ items }) =>
              items.length > 0 ? (
                <QueueTable requests={items} tuners={known ?? []} />
              ) : (
                <Empty>
                  {known?.length === 0
                    ? 'No tuner is registered; a tuner is a driver with the operation calibrate.'
                    : 'No calibration is running or waiting.'}
                </Empty>
              )
            }
          </Loaded>
        </Panel>
        {(failed.value.value?.items.length ?? 0) > 0 && (
          <Panel title="Ended without a report">
            <QueueTable requests={failed.value.value?.items ?? []} tuners={known ?? []} />
          </Panel>
        )}
        <Panel title="Reports">
          <Loaded of={reports} task="load the reports" rows={6}>
            {({ items, totalItems }) => (
              <FinishedTable
                reports={items}
                tuners={known ?? []}
                pages={{ ...pages, total: totalItems ?? undefined }}
                sort={sort}
                read={async (at, size) => (await readReports(at, size)).items}
              />
            )}
          </Loaded>
        </Panel>
      </div>
    </>
  )
}

function countQueue(items: readonly { status: string }[]) {
  const running = items.filter(({ status }) => status === 'running').length
  return { running, waiting: items.length - running }
}

interface TunerFilterProps {
  tuners: readonly { id: string; name: string }[]
  chosen: string
  choose: (id: string) => void
}

function TunerFilter({ tuners: list, chosen, choose }: TunerFilterProps) {
  if (list.length < 2 && !chosen) return null
  return (
    <Select
      aria-label="Tuner"
      value={chosen}
      choices={[['', 'All tuners'], ...list.map(({ id, name }) => [id, name] as const)]}
      set={choose}
    />
  )
}
