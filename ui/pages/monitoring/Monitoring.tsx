import { useComputed, useSignal } from '@preact/signals'
import type { Monitor } from '../../api/model/equipment/monitoring.ts'
import { useApp } from '../../app/app.ts'
import { useQuery } from '../../app/use-query.ts'
import { saveFile } from '../../lib/save-file.ts'
import { Heading } from '../../parts/Heading.tsx'
import { Empty, Loaded, Panel } from '../../parts/Panel.tsx'
import { Status } from '../../parts/Status.tsx'
import { IncidentList } from './IncidentList.tsx'
import { Plots } from './Plots.tsx'
import { RangePicker } from './RangePicker.tsx'
import { findBreaches } from './readings/breaches.ts'
import { groupByUnit, toChannels } from './readings/channels.ts'
import { readingsToCsv } from './readings/csv.ts'
import { findIncidents, toMarks } from './readings/incidents.ts'
import { describeState } from './readings/lead.ts'
import { formatSpan, RANGES, rangeQuery } from './readings/range.ts'
import { Thresholds } from './Thresholds.tsx'
import { type Monitoring, useMonitoring, useMonitors } from './use-monitoring.ts'

/** Readings of a monitor over time with their limits, and what happened meanwhile. */
export function MonitoringPage() {
  const monitors = useMonitors()
  const query = useQuery()
  const { superuser } = useApp()
  return (
    <>
      {monitors.value.value?.length === 0 && <Heading title="Monitoring" />}
      <Loaded of={monitors} task="load the monitors" rows={8}>
        {(list) => {
          const chosen = list.find(({ id, name }) => [id, name].includes(query.get('driver'))) ?? list[0]
          if (chosen) return <MonitorView key={chosen.id} monitor={chosen} monitors={list} />
          const action = (
            <a class="button" href="/drivers/new?operation=monitor">
              Register a monitor
            </a>
          )
          return (
            <Panel title="Readings">
              <Empty action={superuser.value ? action : undefined}>
                No driver reports readings yet. A monitor polls the control software of the cryostat.
              </Empty>
            </Panel>
          )
        }}
      </Loaded>
    </>
  )
}

function MonitorView({ monitor, monitors }: { monitor: Monitor; monitors: readonly Monitor[] }) {
  const state = useMonitoring(monitor)
  const query = useQuery()
  return (
    <>
      <Heading title="Monitoring" lead={<Lead state={state} monitor={monitor} />}>
        {monitors.length > 1 && (
          <select
            aria-label="Monitor"
            value={monitor.name}
            onChange={({ currentTarget }) => query.set({ driver: currentTarget.value, hide: null })}
          >
            {monitors.map(({ id, name }) => (
              <option key={id} value={name}>
                {name}
              </option>
            ))}
          </select>
        )}
        <RangePicker range={state.range.value} />
      </Heading>
      <div class="monitoring">
        <Readings state={state} monitor={monitor} />
      </div>
    </>
  )
}

function Lead({ state, monitor }: { state: Monitoring; monitor: Monitor }) {
  const { qpus } = useApp()
  const qpu = qpus.value.value?.find(({ id }) => id === monitor.qpu)?.name
  const readings = state.readings.value.value
  if (!readings) return null
  const channels = toChannels(readings)
  const thresholds = state.thresholds.value.value ?? []
  const breaches = findBreaches(channels, thresholds, readings.step_ms)
  const facts = describeState(channels, thresholds, breaches, state.now.value)
  return (
    <>
      {qpu && `${qpu}, `}driver <strong>{monitor.name}</strong>. {facts}
    </>
  )
}

function Readings({ state, monitor }: { state: Monitoring; monitor: Monitor }) {
  const { live } = useApp()
  const query = useQuery()
  const cursor = useSignal<number | undefined>(undefined)
  const range = state.range.value
  const title = RANGES.find(({ key }) => key === range.key)?.words ?? 'Chosen time'
  const hidden = useComputed(() => new Set(query.all('hide')))
  const zoom = (from: number, to: number) => query.set({ ...rangeQuery(from, to) }, { push: true })
  const resetZoom = () => query.set({ from: null, to: null })
  const isLive = range.isLive && live.state.value === 'live'
  return (
    <Loaded of={state.readings} task="load the readings" rows={12}>
      {(readings) => {
        const channels = toChannels(readings)
        const thresholds = state.thresholds.value.value ?? []
        const breaches = findBreaches(channels, thresholds, readings.step_ms)
        const incidents = findIncidents({
          channels,
          breaches,
          notes: state.notes.value.value ?? [],
          calibrations: state.calibrations.value.value ?? [],
          maintenance: state.maintenance.value.value ?? [],
          from: range.from,
          now: state.now.value,
          isLive: range.isLive,
        })
        return (
          <>
            <Panel
              title={title}
              aside={
                <span class="plot-state">
                  {readings.series.length > 0 && (
                    <span class="soft">drawn as minimum to maximum of {formatSpan(readings.step_ms)}</span>
                  )}
                  {isLive ? (
                    <Status tone="ok" glyph="dot" word="live" />
                  ) : (
                    !range.key && (
                      <button type="button" onClick={resetZoom}>
                        Reset zoom
                      </button>
                    )
                  )}
                  <button
                    type="button"
                    onClick={() =>
                      saveFile(
                        new Blob([readingsToCsv(readings)], { type: 'text/csv' }),
                        `${monitor.name}.csv`,
                      )
                    }
                  >
                    CSV
                  </button>
                </span>
              }
            >
              {channels.length === 0 ? (
                <Empty>
                  {monitor.name} has not reported a numeric reading yet. It is {monitor.status}.
                </Empty>
              ) : (
                <Plots
                  groups={groupByUnit(channels)}
                  range={range}
                  stepMs={readings.step_ms}
                  thresholds={thresholds}
                  incidents={incidents}
                  marks={toMarks(incidents)}
                  now={state.now.value}
                  cursor={cursor}
                  hidden={hidden.value}
                  onHide={(keys) => query.set({ hide: keys })}
                  onZoom={zoom}
                  onReset={resetZoom}
                />
              )}
            </Panel>
            <IncidentList
              incidents={incidents}
              stepMs={readings.step_ms}
              monitor={monitor}
              onZoom={zoom}
              onNoted={() => void state.notes.load()}
            />
            <Thresholds
              monitor={monitor}
              thresholds={state.thresholds}
              channels={channels}
              now={state.now.value}
            />
          </>
        )
      }}
    </Loaded>
  )
}
