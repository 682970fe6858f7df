import { useComputed, useSignal } from '@preact/signals'
import type { Monitor, Readings, Threshold } from '../../api/model/equipment/monitoring.ts'
import { useApp } from '../../app/app.ts'
import { useQuery } from '../../app/use-query.ts'
import { saveFile } from '../../lib/save-file.ts'
import { formatSpan } from '../../lib/time.ts'
import { Moment } from '../../parts/Moment.tsx'
import { type Channel, groupByUnit, toChannels } from '../../parts/monitor/channels.ts'
import { Empty, ErrorBox, Panel } from '../../parts/Panel.tsx'
import { Status } from '../../parts/Status.tsx'
import { PhaseMenu } from './PhaseMenu.tsx'
import { Plots } from './Plots.tsx'
import { readingsToCsv } from './readings/csv.ts'
import { type Incident, toMarks } from './readings/incidents.ts'
import { RANGES } from './readings/range.ts'
import { readAxes } from './readings/value-axis.ts'
import { StagesDialog } from './StagesDialog.tsx'
import type { Monitoring } from './use-monitoring.ts'
import { type Overlay, useOverlay } from './use-overlay.ts'

interface ReadingsPanelProps {
  state: Monitoring
  monitor: Monitor
  readings: Readings
  channels: readonly Channel[]
  thresholds: readonly Threshold[]
  incidents: readonly Incident[]
  onZoom: (from: number, to: number) => void
  /** Called after the channels got other names. */
  onRenamed: () => void
}

/** The plots of a monitor, with an earlier cool-down when the address names one. */
export function ReadingsPanel(props: ReadingsPanelProps) {
  const { state, monitor, readings, channels, incidents } = props
  const query = useQuery()
  const cursor = useSignal<number | undefined>(undefined)
  const range = state.range.value
  const overlay = useOverlay(monitor, state.readings, range)
  const hidden = useComputed(() => new Set(query.all('hide')))
  const axes = useComputed(() => readAxes(query.all('axis')))
  const before = overlay.value.value?.readings
  const title = RANGES.find(({ key }) => key === range.key)?.words ?? 'Chosen time'
  const resetZoom = () => query.set({ from: null, to: null })
  return (
    <Panel title={title} aside={<Actions {...props} resetZoom={resetZoom} />}>
      {channels.length === 0 ? (
        <Empty>
          {monitor.name} has not reported a numeric reading yet. It is {monitor.status}.
        </Empty>
      ) : (
        <Plots
          groups={groupByUnit(channels)}
          range={range}
          stepMs={readings.step_ms}
          thresholds={props.thresholds}
          incidents={incidents}
          marks={toMarks(incidents)}
          now={state.now.value}
          cursor={cursor}
          axes={axes.value}
          before={before ? toChannels(before, monitor.stages) : []}
          hidden={hidden.value}
          onHide={(keys) => query.set({ hide: keys })}
          onZoom={props.onZoom}
          onReset={resetZoom}
        />
      )}
      {overlay.error.value && (
        <ErrorBox error={overlay.error.value} task="load the earlier readings" retry={overlay.load} />
      )}
      <Compared overlay={overlay.value.value} />
    </Panel>
  )
}

/** Says what the thin lines are. */
function Compared({ overlay }: { overlay: Overlay | undefined }) {
  if (!overlay) return null
  const { kind, phase } = overlay
  return (
    <p class="hint padded">
      {phase ? (
        <>
          Thin lines: the {kind} from <Moment at={phase.from} />, which lasted{' '}
          {formatSpan(phase.to - phase.from)}, drawn from the same start.
        </>
      ) : (
        `No ${kind} ended within the year before the visible time.`
      )}
    </p>
  )
}

function Actions(props: ReadingsPanelProps & { resetZoom: () => void }) {
  const { state, monitor, readings, channels, onRenamed, resetZoom } = props
  const { live, superuser } = useApp()
  const { isLive, key } = state.range.value
  const save = () =>
    saveFile(new Blob([readingsToCsv(readings)], { type: 'text/csv' }), `${monitor.name}.csv`)
  return (
    <span class="plot-state">
      {readings.series.length > 0 && (
        <span class="soft">drawn as minimum to maximum of {formatSpan(readings.step_ms)}</span>
      )}
      {isLive && live.state.value === 'live' ? (
        <Status tone="ok" glyph="dot" word="live" />
      ) : (
        !key && (
          <button type="button" onClick={resetZoom}>
            Reset zoom
          </button>
        )
      )}
      {channels.some(({ unit }) => unit === 'K') && <PhaseMenu monitor={monitor} />}
      {superuser.value && <StagesDialog monitor={monitor} series={readings.series} onSaved={onRenamed} />}
      <button type="button" onClick={save}>
        CSV
      </button>
    </span>
  )
}
