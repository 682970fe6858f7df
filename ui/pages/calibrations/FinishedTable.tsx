import { isObject } from '../../../src/base/portable/is-object.ts'
import type { ListedReport, Tuner } from '../../api/model/calibrations.ts'
import { superusers } from '../../api/model/users.ts'
import { useApp } from '../../app/app.ts'
import { useResource } from '../../app/use-resource.ts'
import { formatCount, formatSeconds } from '../../lib/format.ts'
import { Moment } from '../../parts/Moment.tsx'
import { Empty } from '../../parts/Panel.tsx'
import { Status } from '../../parts/Status.tsx'
import { type Column, DataTable } from '../../parts/table/DataTable.tsx'
import type { Pages } from '../../parts/table/Pager.tsx'
import { SaveCsv } from '../../parts/table/SaveCsv.tsx'
import { numberOf } from './reading/read-json.ts'
import { modeName, reportCondition, secondsBetween } from './words.ts'

interface FinishedTableProps {
  reports: readonly ListedReport[]
  tuners: readonly Tuner[]
  pages: Pages
  sort: { by: string; set: (by: string) => void }
  /** Reads a page of all reports. */
  read: (page: number, size: number) => Promise<readonly ListedReport[]>
}

/** Reports of calibrations and of the checks that tuners start on their own. */
export function FinishedTable({ reports, tuners, pages, sort, read }: FinishedTableProps) {
  const { qpus, superuser } = useApp()
  const whoOf = useSuperuserNames()
  if (reports.length === 0 && pages.page === 1) return <Empty>No calibration has ended yet.</Empty>
  const qpuOf = ({ qpu, driver }: ListedReport) =>
    qpus.value.value?.find(({ id }) => id === qpu)?.name ??
    tuners.find(({ id }) => id === driver)?.name ??
    (qpu || 'a removed QPU')
  const requesterOf = ({ request, expand }: ListedReport) =>
    request ? whoOf(expand?.request?.requested_by ?? '') : 'the tuner: drift check'
  const columns: Column<ListedReport>[] = [
    {
      title: 'QPU',
      cell: (report) => (
        <>
          {qpuOf(report)}
          <span class="unseen">
            , ended <Moment at={report.finished_at} />
          </span>
        </>
      ),
      value: qpuOf,
    },
    {
      title: 'Outcome',
      cell: (report) => <Status {...reportCondition(report)} />,
      value: (report) => reportCondition(report).word,
      phone: 'state',
    },
    { title: 'Mode', cell: ({ mode }) => modeName(mode), value: ({ mode }) => mode },
    {
      title: superuser.value ? 'Who' : 'Requested by',
      cell: (report) => <span class={report.request ? undefined : 'soft'}>{requesterOf(report)}</span>,
      value: requesterOf,
      phone: 'absent',
    },
    {
      title: 'Values changed',
      number: true,
      cell: (report) => {
        const changed = changedIn(report)
        return changed === undefined ? '–' : formatCount(changed)
      },
      value: changedIn,
    },
    {
      title: 'Ended',
      sort: 'finished_at',
      cell: ({ finished_at }) => <Moment at={finished_at} />,
      value: ({ finished_at }) => finished_at,
      number: true,
    },
    {
      title: 'Duration',
      number: true,
      cell: ({ started_at, finished_at }) => {
        const seconds = secondsBetween(started_at, finished_at)
        return seconds === undefined ? '–' : formatSeconds(seconds < 10 ? seconds : Math.round(seconds))
      },
      value: ({ started_at, finished_at }) => secondsBetween(started_at, finished_at),
    },
  ]
  return (
    <>
      <DataTable
        label="Reports of calibrations"
        list="reports"
        rows={reports}
        columns={columns}
        sort={sort}
        pages={pages}
        id={({ id }) => id}
        href={({ id, request }) => `/calibrations/${request || id}`}
      />
      <div class="padded actions">
        <SaveCsv file="reports.csv" list="reports" columns={columns} read={read} />
      </div>
    </>
  )
}

function changedIn({ device_file: file }: ListedReport): number | undefined {
  return isObject(file) ? numberOf(file['changed']) : undefined
}

/** The address of the superuser behind `superuser:ID`, as superusers see it; for others `a superuser`. */
function useSuperuserNames(): (actor: string) => string {
  const { api, named, superuser } = useApp()
  const isShown = superuser.value
  const known = useResource(
    async (abort) => {
      if (!isShown) return []
      const path = `/api/collections/${named('superusers')}/records?perPage=500&fields=id,email,created`
      return (await api.get(path, superusers, abort)).items
    },
    [isShown],
  )
  return (actor) =>
    known.value.value?.find(({ id }) => actor === `superuser:${id}`)?.email ??
    (isShown && known.value.value ? 'a removed superuser' : 'a superuser')
}
