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
import { Pager } from '../../parts/table/Pager.tsx'
import { numberOf } from './reading/read-json.ts'
import { modeName, reportCondition, secondsBetween } from './words.ts'

interface FinishedTableProps {
  reports: readonly ListedReport[]
  tuners: readonly Tuner[]
  pages: { page: number; size: number; shown: number; total?: number | undefined }
  sort: { by: string; set: (by: string) => void }
  turn: (page: number) => void
}

/** Reports of calibrations and of the checks that tuners start on their own. */
export function FinishedTable({ reports, tuners, pages, sort, turn }: FinishedTableProps) {
  const { qpus, superuser } = useApp()
  const whoOf = useSuperuserNames()
  if (reports.length === 0 && pages.page === 1) return <Empty>No calibration has ended yet.</Empty>
  const columns: Column<ListedReport>[] = [
    {
      title: 'QPU',
      cell: ({ qpu, driver }) =>
        qpus.value.value?.find(({ id }) => id === qpu)?.name ??
        tuners.find(({ id }) => id === driver)?.name ??
        (qpu || 'a removed QPU'),
    },
    { title: 'Outcome', cell: (report) => <Status {...reportCondition(report)} />, phone: 'state' },
    { title: 'Mode', cell: ({ mode }) => modeName(mode) },
    {
      title: superuser.value ? 'Who' : 'Requested by',
      cell: ({ request, expand }) =>
        request ? (
          whoOf(expand?.request?.requested_by ?? '')
        ) : (
          <span class="soft">the tuner: drift check</span>
        ),
      phone: 'absent',
    },
    {
      title: 'Values changed',
      number: true,
      cell: ({ device_file }) => {
        const changed = isObject(device_file) ? numberOf(device_file['changed']) : undefined
        return changed === undefined ? '–' : formatCount(changed)
      },
    },
    {
      title: 'Ended',
      sort: 'finished_at',
      cell: ({ finished_at }) => <Moment at={finished_at} />,
      number: true,
    },
    {
      title: 'Duration',
      number: true,
      cell: ({ started_at, finished_at }) => {
        const seconds = secondsBetween(started_at, finished_at)
        return seconds === undefined ? '–' : formatSeconds(seconds < 10 ? seconds : Math.round(seconds))
      },
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
        id={({ id }) => id}
        href={({ id, request }) => `/calibrations/${request || id}`}
      />
      <Pager {...pages} set={turn} />
    </>
  )
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
