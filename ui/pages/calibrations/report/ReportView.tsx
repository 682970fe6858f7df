import { useMemo } from 'preact/hooks'
import type { CalibrationReport, CalibrationRequest } from '../../../api/model/calibrations.ts'
import { useApp } from '../../../app/app.ts'
import { useQuery } from '../../../app/use-query.ts'
import { formatNumberOf, formatSeconds, sentence } from '../../../lib/format.ts'
import { isPrinting, printWhole } from '../../../lib/print.ts'
import { saveFile } from '../../../lib/save-file.ts'
import { ShareButton } from '../../../parts/account/Share.tsx'
import { Moment } from '../../../parts/Moment.tsx'
import { Breadcrumb, Heading, Panel } from '../../../parts/Panel.tsx'
import { Status } from '../../../parts/Status.tsx'
import { readLimits } from '../../../plots/chip/limits.ts'
import { Continue } from '../Continue.tsx'
import { reportCsv } from '../reading/changes.ts'
import {
  countOutcomes,
  firstResult,
  type ReadReport,
  readReport,
  valuedTargets,
} from '../reading/read-report.ts'
import { reportCondition, secondsBetween, titleOf } from '../words.ts'
import { BeforeAfter } from './BeforeAfter.tsx'
import { Benchmarks } from './Benchmarks.tsx'
import { BudgetPanel } from './BudgetPanel.tsx'
import { CompareWith } from './CompareWith.tsx'
import { FitPanel } from './FitPanel.tsx'
import { RecallNotice } from './Recall.tsx'
import { RoutineList } from './RoutineList.tsx'

interface ReportViewProps {
  report: CalibrationReport
  request: CalibrationRequest | undefined
  qpuName: string
  tunerName: string
  /** Opened by a link: only what needs no login is offered. */
  isShared?: boolean
}

/** The report of a calibration: what failed, the fits, the consequences, and every number. */
export function ReportView({ report, request, qpuName, tunerName, isShared = false }: ReportViewProps) {
  const app = useApp()
  const query = useQuery()
  const read = useMemo(() => readReport(report), [report])
  const first = firstResult(read)
  const routine = read.routines.includes(query.get('routine')) ? query.get('routine') : (first?.routine ?? '')
  const ofRoutine = resultsOf(read, routine)
  const wanted = query.get('target') || first?.target
  const selected = ofRoutine.find(({ target }) => target === wanted) ?? ofRoutine[0]
  const name = `${qpuName}-${report.finished_at.slice(0, 10) || 'calibration'}`
  const limits = readLimits(app.qpus.value.value?.find(({ id }) => id === report.qpu)?.device_config)
  const onKeyDown = (event: KeyboardEvent) => {
    const moved = moveSelection(event, read, routine, selected?.target ?? '')
    if (moved) query.set(moved)
  }
  const consequences = (
    <>
      <Benchmarks benchmarks={read.benchmarks} limits={limits} />
      <BudgetPanel report={read} />
    </>
  )
  return (
    <>
      {!isShared && (
        <Breadcrumb href="/calibrations" list="Calibrations">
          <code>{request?.id ?? report.id}</code>
        </Breadcrumb>
      )}
      <Heading
        title={
          <>
            {titleOf(report.mode, qpuName)} <Status {...reportCondition(report)} />
          </>
        }
        lead={<Lead report={report} read={read} tunerName={tunerName} />}
      >
        <Actions report={report} read={read} request={request} name={name} isShared={isShared} />
      </Heading>
      {!isShared && <RecallNotice report={report.id} />}
      <Failures report={read} givenUp={request?.status === 'failed' ? request.error : ''} />
      {report.traces_stripped && (
        <div class="notice">
          <p>Traces were removed after the time for which they are kept; numbers are kept.</p>
        </div>
      )}
      {read.results.length > 0 ? (
        // biome-ignore lint/a11y/noStaticElementInteractions: the buttons inside have the focus
        <div class="columns report-columns" onKeyDown={onKeyDown}>
          <RoutineList report={read} selected={routine} select={(to) => query.set({ routine: to })} />
          <div class="stack">
            {(isPrinting.value ? read.routines : [routine]).map((each) => (
              <FitPanel
                key={isPrinting.value ? each : 'selected'}
                routine={each}
                results={resultsOf(read, each)}
                selected={each === routine ? selected : resultsOf(read, each)[0]}
                select={(target) => query.set({ target })}
                stripped={report.traces_stripped}
                name={name}
              />
            ))}
            {consequences}
          </div>
        </div>
      ) : (
        <div class="stack spaced">
          <Panel title="Routines">
            <p class="padded soft">The report has no routines.</p>
          </Panel>
          {consequences}
        </div>
      )}
      {(isPrinting.value ? valuedTargets(read) : [query.get('of') || selected?.target || '']).map((of) => (
        <BeforeAfter
          key={isPrinting.value ? of : 'selected'}
          report={read}
          target={of}
          choose={(chosen) => query.set({ of: chosen })}
          qpu={report.qpu}
        />
      ))}
      <Remarks report={report} read={read} />
    </>
  )
}

interface ActionsProps {
  report: CalibrationReport
  read: ReadReport
  request: CalibrationRequest | undefined
  /** Of the files that are saved, without an ending. */
  name: string
  isShared: boolean
}

function Actions({ report, read, request, name, isShared }: ActionsProps) {
  const app = useApp()
  return (
    <>
      {!isShared && (
        <>
          <a class="button" href={`/jobs?calibration=${report.id}`}>
            Jobs
          </a>
          <CompareWith report={report} read={read} />
          <ShareButton kind="report" record={report.id} />
        </>
      )}
      <button
        type="button"
        onClick={() =>
          saveFile(new Blob([JSON.stringify(report, null, 2)], { type: 'application/json' }), `${name}.json`)
        }
      >
        JSON
      </button>
      <button
        type="button"
        onClick={() => saveFile(new Blob([reportCsv(read)], { type: 'text/csv' }), `${name}.csv`)}
      >
        CSV
      </button>
      <button type="button" onClick={() => void printWhole()}>
        Print
      </button>
      {request && <Continue request={request} report={report.status} />}
      {app.superuser.value && !isShared && (
        <a class="button primary" href={`/calibrations?${againQuery(report, read)}`}>
          Calibrate again…
        </a>
      )}
    </>
  )
}

function resultsOf({ results }: ReadReport, routine: string) {
  return results.filter((result) => result.routine === routine)
}

/** Targets beyond these are chosen by hand. */
const MAX_AGAIN = 40

/** Opens the form with the tuner of a report and the targets that failed. */
function againQuery({ driver, mode }: CalibrationReport, { results }: ReadReport): URLSearchParams {
  const failed = results.filter(({ outcome }) => outcome === 'failed').map(({ target }) => target)
  const search = new URLSearchParams({ new: '1', on: driver, mode: failed.length > 0 ? 'partial' : mode })
  for (const target of [...new Set(failed)].slice(0, MAX_AGAIN)) search.append('target', target)
  return search
}

/** Up and down walk through the routines, left and right through the targets of one. */
function moveSelection(
  event: KeyboardEvent,
  report: ReadReport,
  routine: string,
  target: string,
): Record<string, string> | undefined {
  const step = { ArrowUp: -1, ArrowDown: 1, ArrowLeft: -1, ArrowRight: 1 }[event.key]
  if (step === undefined || event.altKey || event.ctrlKey || event.metaKey) return undefined
  if (!(event.target instanceof HTMLButtonElement)) return undefined
  const isVertical = event.key === 'ArrowUp' || event.key === 'ArrowDown'
  const targets = report.results.filter((one) => one.routine === routine).map((one) => one.target)
  const list = isVertical ? report.routines : targets
  const next = list[list.indexOf(isVertical ? routine : target) + step]
  event.preventDefault()
  if (next === undefined) return undefined
  const kind = isVertical ? 'routine' : 'target'
  requestAnimationFrame(() =>
    document.querySelector<HTMLElement>(`[data-${kind}="${CSS.escape(next)}"]`)?.focus(),
  )
  return { [kind]: next }
}

interface LeadProps {
  report: CalibrationReport
  read: ReadReport
  tunerName: string
}

function Lead({ report, read, tunerName }: LeadProps) {
  const counts = countOutcomes(read.results)
  const seconds = secondsBetween(report.started_at, report.finished_at)
  const parts = [
    read.changed !== undefined && `${read.changed} values written`,
    counts.failed > 0 && `${counts.failed} failed`,
    counts.unresolved > 0 && `${counts.unresolved} unresolved`,
    counts.blocked > 0 && `${counts.blocked} blocked`,
    counts.declined > 0 && `${counts.declined} declined`,
  ].filter(Boolean)
  return (
    <>
      <Moment at={report.started_at} />
      {seconds !== undefined && `, ${formatSeconds(seconds < 10 ? seconds : Math.round(seconds))}`}
      {report.request ? '' : ', drift check of the tuner itself'}
      {tunerName && (
        <>
          , tuner <strong>{tunerName}</strong>
        </>
      )}
      {parts.length > 0 && `. ${parts.join(', ')}.`}
    </>
  )
}

/** The failures, each with what it blocks. */
function Failures({ report, givenUp }: { report: ReadReport; givenUp: string }) {
  const failed = report.results.filter(({ outcome }) => outcome === 'failed')
  if (failed.length === 0 && report.errors.length === 0 && givenUp === '') return null
  const blocked = report.results.filter(({ outcome }) => outcome === 'blocked')
  return (
    <div class="notice tone-bad">
      {givenUp !== '' && (
        <p>
          <strong>Marked as failed:</strong> {givenUp}
        </p>
      )}
      {failed.slice(0, 5).map(({ routine, target, error }) => {
        const ofTarget = blocked.filter((one) => one.target.split('_').includes(target)).length
        return (
          <p key={`${routine} ${target}`}>
            <strong>
              {target} {routine}
              {error?.code && `: ${error.code}`}.
            </strong>{' '}
            {error?.message}
            {ofTarget > 0 &&
              ` ${sentence(formatNumberOf(ofTarget, 'routine'))} of ${target} and its edges blocked by it; the device file keeps the old values.`}
          </p>
        )
      })}
      {failed.length > 5 && <p>And {failed.length - 5} more failures.</p>}
      {failed.length === 0 && report.errors.slice(0, 5).map((text) => <p key={text}>{text}</p>)}
    </div>
  )
}

function Remarks({ report, read }: { report: CalibrationReport; read: ReadReport }) {
  if (read.notes.length === 0 && !report.backend) return null
  return (
    <Panel title="Remarks of the tuner" aside={report.backend && <code>{report.backend}</code>}>
      {read.notes.length > 0 ? (
        <ul class="remarks padded">
          {read.notes.map((text, at) => (
            <li key={at}>{text}</li>
          ))}
        </ul>
      ) : (
        <p class="padded soft">None.</p>
      )}
    </Panel>
  )
}
