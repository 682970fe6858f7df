import type { Signal } from '@preact/signals'
import type { Threshold } from '../../api/model/equipment/monitoring.ts'
import { useApp } from '../../app/app.ts'
import { formatReadingLimit } from '../../lib/reading.ts'
import { type Channel, type ChannelGroup, isLogarithmic, isStale } from '../../parts/monitor/channels.ts'
import { type PlotLimit, type PlotMark, TimeSeries } from '../../plots/TimeSeries.tsx'
import { formatCursor } from '../../plots/time-series/time-axis.ts'
import { AxisMenu } from './AxisMenu.tsx'
import { EventStrip } from './EventStrip.tsx'
import { Legend } from './Legend.tsx'
import { appliesTo } from './readings/breaches.ts'
import type { Incident } from './readings/incidents.ts'
import type { VisibleRange } from './readings/range.ts'
import type { ValueAxis } from './readings/value-axis.ts'

/** Height of a plot by its number of lines, px. */
const LOW_PX = 150
const HIGH_PX = 236
const PANE_PX = 112
const TIME_AXIS_PX = 30

interface PlotsProps {
  groups: readonly ChannelGroup[]
  range: VisibleRange
  stepMs: number
  thresholds: readonly Threshold[]
  incidents: readonly Incident[]
  marks: readonly PlotMark[]
  now: number
  cursor: Signal<number | undefined>
  /** Chosen value axes by unit. */
  axes: ReadonlyMap<string, ValueAxis>
  /** The same channels at an earlier time, moved to the visible one. */
  before: readonly Channel[]
  hidden: ReadonlySet<string>
  onHide: (keys: string[]) => void
  onZoom: (from: number, to: number) => void
  onReset: () => void
}

/** A plot per unit with its legend, one time axis and one cursor. */
export function Plots(props: PlotsProps) {
  const { groups, range, cursor, stepMs } = props
  const { zone } = useApp()
  return (
    <div class="plots">
      <div class="columns plot-row">
        <EventStrip incidents={props.incidents} range={range} cursor={cursor} />
      </div>
      {groups.map((group, index) => (
        <PlotRow key={group.unit} {...props} group={group} isLast={index === groups.length - 1} />
      ))}
      <p class="cursor-time" aria-live="off">
        {cursor.value === undefined
          ? 'Drag to zoom, double click to reset. Arrow keys move the cursor.'
          : formatCursor(cursor.value, stepMs, zone.value)}
      </p>
    </div>
  )
}

function PlotRow(props: PlotsProps & { group: ChannelGroup; isLast: boolean }) {
  const { group, range, thresholds, marks, now, cursor, hidden, isLast, before } = props
  const { zone } = useApp()
  const shown = group.channels.filter(({ key }) => !hidden.has(key))
  const mayBeLogarithmic = isLogarithmic(group)
  const axis = props.axes.get(group.unit) ?? (mayBeLogarithmic ? 'log' : 'linear')
  const limits = shown.flatMap((channel) =>
    thresholds
      .filter((threshold) => threshold.enabled && appliesTo(threshold, channel))
      .flatMap(({ kind, limit, name }): PlotLimit[] =>
        kind === 'stale' ? [] : [limitOf(channel.key, { kind, name, value: limit, unit: group.unit })],
      ),
  )
  // Only where every channel is late; a band over channels that arrive would be wrong.
  const isLate = range.isLive && shown.length > 0 && shown.every((channel) => isStale(channel, now))
  const late = Math.max(...shown.map(({ last }) => last ?? 0))
  const allMarks = isLate ? [...marks, { at: late, until: range.to, tone: 'stale' as const }] : marks
  const panes = axis === 'each' && shown.length > 0 ? shown.map((channel) => [channel]) : [shown]
  const usual = group.channels.length > 2 ? HIGH_PX : LOW_PX
  const height = panes.length > 1 ? PANE_PX : usual
  return (
    <div class="columns plot-row">
      <div>
        <div class="plot-head">
          <h3>
            {group.title} <span class="soft">{group.unit}</span>
          </h3>
          <AxisMenu title={group.title} unit={group.unit} axis={axis} mayBeLogarithmic={mayBeLogarithmic} />
        </div>
        {panes.map((members, index) => {
          const isLowest = isLast && index === panes.length - 1
          const keys = members.map(({ key }) => key)
          return (
            <TimeSeries
              key={panes.length > 1 ? keys[0] : group.unit}
              label={`${group.title} of ${members.map(({ label }) => label).join(', ')}`}
              unit={group.unit}
              scale={axis === 'log' && mayBeLogarithmic ? 'log' : 'linear'}
              ends={axis === 'each' ? 'lines' : typeof axis === 'string' ? undefined : axis}
              lines={[...members, ...members.flatMap((member) => comparedWith(member, before))].map(
                ({ line }) => line,
              )}
              from={range.from}
              to={range.to}
              timeZone={zone.value}
              limits={limits.filter(({ line }) => line !== undefined && keys.includes(line))}
              marks={allMarks}
              cursor={cursor}
              onZoom={props.onZoom}
              onReset={props.onReset}
              timeAxis={isLowest}
              height={height + (isLowest ? TIME_AXIS_PX : 0)}
              table={false}
            />
          )
        })}
      </div>
      <Legend
        group={group}
        thresholds={thresholds}
        now={now}
        cursor={cursor}
        hidden={hidden}
        onHide={props.onHide}
        range={range}
      />
    </div>
  )
}

/** The earlier line of a channel in its style. */
function comparedWith({ key, line: { style = 0 } }: Channel, before: readonly Channel[]): Channel[] {
  return before
    .filter((earlier) => earlier.key === key)
    .map(({ line: { min: _, max: __, ...line }, ...channel }) => ({
      ...channel,
      line: { ...line, key: `${key} before`, style, isFaint: true },
    }))
}

function limitOf(
  line: string,
  { kind, name, value, unit }: { kind: PlotLimit['kind']; name: string; value: number; unit: string },
): PlotLimit {
  const text = formatReadingLimit(value, unit)
  return { value, kind, line, label: `${name}: ${text}`, short: `limit ${text}` }
}
