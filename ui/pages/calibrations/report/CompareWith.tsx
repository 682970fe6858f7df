import { type CalibrationReport, calibrationReport, listedReports } from '../../../api/model/calibrations.ts'
import { useApp } from '../../../app/app.ts'
import { useQuery } from '../../../app/use-query.ts'
import { useResource } from '../../../app/use-resource.ts'
import { formatMoment, parseTime } from '../../../lib/time.ts'
import { Dialog } from '../../../parts/Dialog.tsx'
import { Select } from '../../../parts/form/form.tsx'
import { Loaded } from '../../../parts/Panel.tsx'
import { type ReadReport, readReport } from '../reading/read-report.ts'
import { quoted, REPORT_FIELDS, recordsPath } from '../records.ts'
import { modeName } from '../words.ts'
import { Differences } from './Differences.tsx'

const CHOICES = 30

interface CompareWithProps {
  report: CalibrationReport
  read: ReadReport
}

/** Compares a report with another one of the same QPU. */
export function CompareWith({ report, read }: CompareWithProps) {
  const query = useQuery()
  const other = query.get('with')
  return (
    <>
      <button type="button" onClick={() => query.set({ with: 'choose' })}>
        Compare with…
      </button>
      <Dialog title="Compare two reports" wide open={other !== ''} onClose={() => query.set({ with: '' })}>
        <Comparison report={report} read={read} other={other} choose={(id) => query.set({ with: id })} />
      </Dialog>
    </>
  )
}

interface ComparisonProps extends CompareWithProps {
  other: string
  choose: (id: string) => void
}

function Comparison({ report, read, other, choose }: ComparisonProps) {
  const app = useApp()
  const list = useResource(
    async (abort) => {
      const path = recordsPath(app, 'calibration_results', {
        filter: `qpu=${quoted(report.qpu)} && id!=${quoted(report.id)}`,
        sort: '-finished_at',
        perPage: CHOICES,
        skipTotal: 1,
        fields: REPORT_FIELDS,
      })
      return (await app.api.get(path, listedReports, abort)).items
    },
    [report.id],
  )
  const second = useResource(
    async (abort) => {
      const chosen = other === 'choose' ? '' : other
      if (!chosen) return undefined
      return readReport(
        await app.api.get(recordsPath(app, 'calibration_results', {}, chosen), calibrationReport, abort),
      )
    },
    [other],
  )
  const close = () => choose('')
  return (
    <div class="stack close">
      <Loaded of={list} task="load the other reports" rows={2}>
        {(items) =>
          items.length === 0 ? (
            <p class="soft">There is no other report of this QPU.</p>
          ) : (
            <Select
              aria-label="The other report"
              value={other}
              choices={[
                ['choose', 'Choose a report'],
                ...items.map(({ id, finished_at, mode, status }) => {
                  const ended = formatMoment(parseTime(finished_at) ?? 0, 0, app.zone.value)
                  return [id, `${ended}, ${modeName(mode)}, ${status.replaceAll('_', ' ')}`] as const
                }),
              ]}
              set={choose}
            />
          )
        }
      </Loaded>
      {other !== 'choose' && (
        <Loaded of={second} task="load the other report" rows={6}>
          {(compared) => compared && <Differences other={compared} report={read} />}
        </Loaded>
      )}
      <div class="actions">
        <button type="button" onClick={close}>
          Close
        </button>
      </div>
    </div>
  )
}
