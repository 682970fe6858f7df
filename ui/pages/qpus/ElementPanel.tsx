import { DAY_MS } from '../../../src/base/portable/units.ts'
import { parameterHistory } from '../../api/model/qpus/chip.ts'
import type { QpuDetail } from '../../api/model/qpus.ts'
import { useApp } from '../../app/app.ts'
import { useQuery } from '../../app/use-query.ts'
import { useResource } from '../../app/use-resource.ts'
import { formatLimit, formatQuantity } from '../../lib/quantity.ts'
import { saveFile } from '../../lib/save-file.ts'
import type { ChipState } from '../../parts/chip/use-chip.ts'
import { Select } from '../../parts/form/form.tsx'
import { Moment } from '../../parts/Moment.tsx'
import { Empty, Loaded, Panel } from '../../parts/Panel.tsx'
import { type Element, findElement } from '../../plots/chip/chip.ts'
import { limitOf } from '../../plots/chip/limits.ts'
import { isBeyond, type Metric } from '../../plots/chip/metric.ts'
import { sourceText } from '../../plots/chip/shown.ts'
import { TimeSeries } from '../../plots/TimeSeries.tsx'
import { historyCsv, historyLine, trendsOf } from './history.ts'

const RANGES = [7, 30, 90, 365] as const
const DEFAULT_DAYS = 30

interface ElementPanelProps {
  qpu: QpuDetail
  state: ChipState
  name: string
}

/** All values of one qubit or coupler, and the history of one of them. */
export function ElementPanel({ qpu, state, name }: ElementPanelProps) {
  const { account } = useApp()
  const query = useQuery()
  const element = findElement(state.chip, name)
  if (!element) return null
  const isQubit = element.qubits.length === 1
  const metrics = (isQubit ? state.chip.qubitMetrics : state.chip.couplerMetrics).filter(({ id }) =>
    element.readings.has(id),
  )
  const measured = metrics.filter(({ id }) => element.readings.get(id)?.parameter)
  const shown = (isQubit ? state.qubits : state.couplers).metric
  const chosen =
    measured.find(({ id }) => id === query.get('history')) ??
    measured.find(({ id }) => id === shown?.id) ??
    measured[0]
  return (
    <Panel
      title={name}
      aside={chosen && account.value && <HistoryChoice measured={measured} chosen={chosen} />}
    >
      <div class="padded columns element">
        <Values element={element} metrics={metrics} state={state} />
        {chosen && !account.value ? (
          <p class="soft">Log in to see how the values changed.</p>
        ) : chosen ? (
          <History qpu={qpu} element={element} metric={chosen} limit={limitOf(state.limits, chosen)} />
        ) : (
          <p class="soft">No calibration has measured {name}; the values are those of its device.</p>
        )}
      </div>
    </Panel>
  )
}

function HistoryChoice({ measured, chosen }: { measured: readonly Metric[]; chosen: Metric }) {
  const query = useQuery()
  return (
    <div class="actions">
      <Select
        aria-label="Parameter of the history"
        value={chosen.id}
        choices={measured.map(({ id, title }) => [id, title])}
        set={(id) => query.set({ history: id })}
      />
      <Select
        aria-label="Time of the history"
        value={query.get('days') || String(DEFAULT_DAYS)}
        choices={RANGES.map((days) => [String(days), `${days} days`])}
        set={(days) => query.set({ days })}
      />
    </div>
  )
}

function Values({
  element,
  metrics,
  state,
}: {
  element: Element
  metrics: readonly Metric[]
  state: ChipState
}) {
  if (metrics.length === 0) {
    return <p class="soft">{element.operational ? 'No value is known.' : 'Not in use.'}</p>
  }
  return (
    <dl class="values">
      {metrics.map((metric) => {
        const reading = element.readings.get(metric.id)
        if (!reading) return null
        const limit = limitOf(state.limits, metric)
        const isBad = isBeyond(metric, reading.value, limit)
        return (
          <>
            <dt>{metric.title}</dt>
            <dd class={isBad ? 'tone-bad' : undefined}>
              {isBad && '▲ '}
              {formatQuantity(reading.value, { unit: metric.unit, uncertainty: reading.error, limit })}{' '}
              <small class="soft">{sourceText(reading, Date.now())}</small>
            </dd>
          </>
        )
      })}
    </dl>
  )
}

function limitLabel(limit: number, unit: string): string {
  return ['limit', formatLimit(limit), unit].filter((part) => part !== '').join(' ')
}

interface HistoryProps {
  qpu: QpuDetail
  element: Element
  metric: Metric
  limit: number | undefined
}

function History({ qpu, element, metric, limit }: HistoryProps) {
  const { api, zone } = useApp()
  const query = useQuery()
  const days = RANGES.find((range) => String(range) === query.get('days')) ?? DEFAULT_DAYS
  const reading = element.readings.get(metric.id)
  const calibrated = qpu.calibration?.at ?? ''
  const history = useResource(
    (abort) => {
      const search = new URLSearchParams({
        qpu: qpu.id,
        element: reading?.element ?? '',
        parameter: reading?.parameter ?? '',
        from: new Date(Date.now() - days * DAY_MS).toISOString(),
      })
      return api.get(`/api/calibration/history?${search}`, parameterHistory, abort)
    },
    [qpu.id, element.name, metric.id, days, calibrated],
  )
  const to = Date.now()
  return (
    <div>
      <Loaded of={history} task="load the history" rows={5}>
        {(loaded) => {
          if (loaded.values.length === 0) return <Empty>No value in the last {days} days.</Empty>
          const [first] = loaded.values
          if (first && loaded.values.length === 1)
            return (
              <p class="soft">
                Measured once in the last {days} days: <Moment at={first.at} />.
              </p>
            )
          const line = historyLine(loaded, metric, element.name)
          return (
            <>
              <TimeSeries
                label={`${metric.title} of ${element.name} in the last ${days} days`}
                unit={metric.unit}
                lines={[line]}
                from={to - days * DAY_MS}
                to={to}
                timeZone={zone.value}
                marks={line.at.map((at) => ({ at, tone: 'calibration' as const }))}
                trends={trendsOf(line, metric, to)}
                limits={
                  limit === undefined
                    ? []
                    : [
                        {
                          value: limit,
                          kind: metric.better === 'low' ? 'above' : 'below',
                          label: limitLabel(limit, metric.unit),
                        },
                      ]
                }
              />
              <p class="chip-key">
                {metric.title} of {element.name}, {metric.unit || 'no unit'}. Band ± 1σ, marks: calibrations,
                dashed: drift of the last 14 days.{' '}
                <button
                  type="button"
                  class="link"
                  onClick={() =>
                    saveFile(new Blob([historyCsv(loaded)], { type: 'text/csv' }), `${element.name}.csv`)
                  }
                >
                  CSV
                </button>
              </p>
            </>
          )
        }}
      </Loaded>
    </div>
  )
}
