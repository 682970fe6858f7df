import { DAY_MS } from '../../../../src/base/portable/units.ts'
import { latestValues, listedReports, valueHistory } from '../../../api/model/calibrations.ts'
import { useApp } from '../../../app/app.ts'
import { useQuery } from '../../../app/use-query.ts'
import { useLive, useResource } from '../../../app/use-resource.ts'
import { parseTime } from '../../../lib/time.ts'
import { Select } from '../../../parts/form/form.tsx'
import { Breadcrumb, Empty, Heading, Loaded, Panel } from '../../../parts/Panel.tsx'
import { readLimits } from '../../../plots/chip/limits.ts'
import type { PlotMark } from '../../../plots/TimeSeries.tsx'
import { driftOf } from '../../../plots/time-series/theil-sen.ts'
import { limitOfValue } from '../reading/limits.ts'
import { sortTargets } from '../reading/targets.ts'
import { quoted, recordsPath } from '../records.ts'
import { driftText } from './drift-text.ts'
import { DriftTable, type ElementHistory, HistoryPlot, pointsOf } from './HistoryPlot.tsx'

const RANGES = [
  ['14', '14 days'],
  ['60', '60 days'],
  ['365', '1 year'],
] as const
/** Elements drawn in one plot. */
const MAX_LINES = 5
const RELOAD_MS = 5_000

/** One parameter of qubits or edges over months: its drift, and when it will cross its limit. */
export function HistoryPage() {
  const app = useApp()
  const { api } = app
  const query = useQuery()
  const qpus = app.qpus.value.value ?? []
  const qpu = query.get('qpu') || qpus[0]?.id || ''
  const values = useResource(
    async (abort) =>
      qpu
        ? (await api.get(`/api/calibration/values?qpu=${encodeURIComponent(qpu)}`, latestValues, abort))
            .values
        : [],
    [qpu],
  )
  const known = values.value.value ?? []
  const parameters = [...new Set(known.map(({ parameter }) => parameter))].sort()
  const parameter = query.get('parameter') || parameters[0] || ''
  const elements = sortTargets(
    known.filter((one) => one.parameter === parameter).map(({ element }) => element),
  )
  const chosen = query.all('element').filter((name) => elements.length === 0 || elements.includes(name))
  const drawn = (chosen.length > 0 ? chosen : elements.slice(0, 1)).slice(0, MAX_LINES)
  const days = Number(query.get('days')) || 14
  const until = Date.now()
  const from = until - days * DAY_MS
  const history = useResource(
    async (abort) => {
      if (!qpu || !parameter) return []
      return Promise.all(
        drawn.map(async (element) => {
          const search = new URLSearchParams({ qpu, element, parameter, from: new Date(from).toISOString() })
          return {
            element,
            history: await api.get(`/api/calibration/history?${search}`, valueHistory, abort),
          }
        }),
      )
    },
    [qpu, parameter, drawn.join(), days, known.length],
  )
  const reports = useResource(
    async (abort) => {
      const path = recordsPath(app, 'calibration_results', {
        filter: `qpu=${quoted(qpu)} && finished_at>=${quoted(new Date(from).toISOString().replace('T', ' '))}`,
        sort: '-finished_at',
        perPage: 200,
        skipTotal: 1,
        fields: 'id,status,started_at,finished_at',
      })
      return qpu ? (await api.get(path, listedReports, abort)).items : []
    },
    [qpu, days],
  )
  useLive('calibration_results/*', () => {
    values.loadSoon(RELOAD_MS)
    history.loadSoon(RELOAD_MS)
    reports.loadSoon(RELOAD_MS)
  })
  const limits = readLimits(qpus.find(({ id }) => id === qpu)?.device_config)
  const limitOf = (element: string) => limitOfValue({ parameter, element, limits })
  const marks: PlotMark[] = (reports.value.value ?? []).flatMap(({ finished_at }) => {
    const at = parseTime(finished_at)
    return at === undefined ? [] : [{ at, tone: 'calibration' }]
  })
  return (
    <>
      <Breadcrumb href="/calibrations" list="Calibrations">
        History
      </Breadcrumb>
      <Heading
        title="History of a parameter"
        lead={history.value.value && summaryOf(history.value.value, parameter, until)}
      />
      <div class="stack">
        <Panel title="Parameter">
          <div class="padded history-choice">
            <Choice
              label="QPU"
              value={qpu}
              options={qpus.map(({ id, name }) => [id, name])}
              choose={(to) => query.set({ qpu: to, element: '', parameter: '' })}
            />
            <Choice
              label="Parameter"
              value={parameter}
              options={parameters.map((name) => [name, name])}
              choose={(to) => query.set({ parameter: to, element: '' })}
            />
            <Choice
              label="Time"
              value={String(days)}
              options={RANGES}
              choose={(to) => query.set({ days: to })}
            />
            <fieldset class="chips">
              <legend class="unseen">Qubits and edges, at most {MAX_LINES}</legend>
              {elements.map((name) => (
                <label key={name} class="chip">
                  <input
                    type="checkbox"
                    checked={drawn.includes(name)}
                    onChange={() =>
                      query.set({
                        element: drawn.includes(name)
                          ? drawn.filter((one) => one !== name)
                          : [...drawn, name],
                      })
                    }
                  />
                  {name}
                </label>
              ))}
            </fieldset>
          </div>
        </Panel>
        <Panel title={parameter || 'History'} aside={<span class="soft">marks: calibrations</span>}>
          <Loaded of={history} task="load the history" rows={6}>
            {(lines) =>
              lines.every(({ history: { values: list } }) => list.length === 0) ? (
                <Empty>No calibration has measured it in this time.</Empty>
              ) : (
                <div class="padded">
                  {lines.some(({ history: { values: list } }) => list.length > 1) && (
                    <HistoryPlot
                      lines={lines}
                      parameter={parameter}
                      limitOf={limitOf}
                      from={from}
                      to={until}
                      marks={marks}
                      zone={app.zone.value}
                    />
                  )}
                  <DriftTable lines={lines} limitOf={limitOf} now={until} />
                </div>
              )
            }
          </Loaded>
        </Panel>
      </div>
    </>
  )
}

function summaryOf(lines: readonly ElementHistory[], parameter: string, now: number): string | undefined {
  const [first] = lines
  if (!first) return undefined
  const drift = driftOf(pointsOf(first.history), now)
  if (!drift) return `Fewer than three values of ${first.element} in 14 days: no drift can be given.`
  const { perDay } = driftText(first.history, undefined, drift, undefined, now)
  return `${first.element} ${parameter} drifts by ${perDay} per day, by a robust line through 14 days.`
}

interface ChoiceProps {
  label: string
  value: string
  options: readonly (readonly [string, string])[]
  choose: (value: string) => void
}

function Choice({ label, value, options, choose }: ChoiceProps) {
  return <Select label={label} labelClass="field" value={value} choices={options} set={choose} />
}
