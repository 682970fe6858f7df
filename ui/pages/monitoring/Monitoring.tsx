import type { Monitor } from '../../api/model/equipment/monitoring.ts'
import { useApp } from '../../app/app.ts'
import { useQuery } from '../../app/use-query.ts'
import { Select } from '../../parts/form/form.tsx'
import { toChannels } from '../../parts/monitor/channels.ts'
import { Empty, Heading, Loaded, Panel } from '../../parts/Panel.tsx'
import { IncidentList } from './IncidentList.tsx'
import { RangePicker } from './RangePicker.tsx'
import { ReadingsPanel } from './ReadingsPanel.tsx'
import { findBreaches } from './readings/breaches.ts'
import { findIncidents } from './readings/incidents.ts'
import { describeState } from './readings/lead.ts'
import { rangeQuery } from './readings/range.ts'
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
      <Loaded of={monitors} task="load the monitors" rows={8} title="Monitoring">
        {(list) => {
          const chosen = list.find(({ id, name }) => [id, name].includes(query.get('driver'))) ?? list[0]
          const renamed = () => void monitors.load()
          if (chosen) {
            return <MonitorView key={chosen.id} monitor={chosen} monitors={list} onRenamed={renamed} />
          }
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

interface ViewProps {
  state: Monitoring
  monitor: Monitor
  /** Called after the channels of the monitor got other names. */
  onRenamed: () => void
}

interface MonitorViewProps extends Omit<ViewProps, 'state'> {
  monitors: readonly Monitor[]
}

function MonitorView({ monitor, monitors, onRenamed }: MonitorViewProps) {
  const state = useMonitoring(monitor)
  const query = useQuery()
  return (
    <>
      <Heading title="Monitoring" lead={<Lead state={state} monitor={monitor} />}>
        {monitors.length > 1 && (
          <Select
            aria-label="Monitor"
            value={monitor.name}
            choices={monitors.map(({ name }) => name)}
            set={(driver) => query.set({ driver, hide: null })}
          />
        )}
        <RangePicker range={state.range.value} />
      </Heading>
      <div class="stack">
        <Readings state={state} monitor={monitor} onRenamed={onRenamed} />
      </div>
    </>
  )
}

function Lead({ state, monitor }: Omit<ViewProps, 'onRenamed'>) {
  const { qpus } = useApp()
  const qpu = qpus.value.value?.find(({ id }) => id === monitor.qpu)?.name
  const readings = state.readings.value.value
  if (!readings) return null
  const channels = toChannels(readings, monitor.stages)
  const thresholds = state.thresholds.value.value ?? []
  const breaches = findBreaches(channels, thresholds, readings.step_ms)
  const facts = describeState(channels, thresholds, breaches, state.now.value)
  return (
    <>
      {qpu && `${qpu}, `}driver <strong>{monitor.name}</strong>. {facts}
    </>
  )
}

function Readings({ state, monitor, onRenamed }: ViewProps) {
  const query = useQuery()
  const range = state.range.value
  const zoom = (from: number, to: number) => query.set({ ...rangeQuery(from, to) }, { push: true })
  return (
    <Loaded of={state.readings} task="load the readings" rows={12}>
      {(readings) => {
        const channels = toChannels(readings, monitor.stages)
        const thresholds = state.thresholds.value.value ?? []
        const incidents = findIncidents({
          channels,
          breaches: findBreaches(channels, thresholds, readings.step_ms),
          notes: state.notes.value.value ?? [],
          calibrations: state.calibrations.value.value ?? [],
          maintenance: state.maintenance.value.value ?? [],
          from: range.from,
          now: state.now.value,
          isLive: range.isLive,
        })
        const shown = { state, monitor, readings, channels, thresholds, incidents }
        return (
          <>
            <ReadingsPanel {...shown} onZoom={zoom} onRenamed={onRenamed} />
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
