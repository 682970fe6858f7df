import type { Signal } from '@preact/signals'
import type { Threshold } from '../../api/model/equipment/monitoring.ts'
import { useApp } from '../../app/app.ts'
import { formatBeside, isPrefixed } from '../../lib/reading.ts'
import { formatSpan } from '../../lib/time.ts'
import { type Channel, type ChannelGroup, isStale } from '../../parts/monitor/channels.ts'
import { BookTable, numberHeads } from '../../parts/table/BookTable.tsx'
import { indexAt } from '../../plots/time-series/align.ts'
import { DataTable } from '../../plots/time-series/DataTable.tsx'
import { lineStyle } from '../../plots/time-series/scene.ts'
import { appliesTo } from './readings/breaches.ts'

interface LegendProps {
  group: ChannelGroup
  thresholds: readonly Threshold[]
  now: number
  cursor: Signal<number | undefined>
  /** Keys of the channels that are not drawn. */
  hidden: ReadonlySet<string>
  onHide: (keys: string[]) => void
  range: { from: number; to: number }
}

/** The channels of a plot with their figures; a press on a name hides its line. */
export function Legend({ group, thresholds, now, cursor, hidden, onHide, range }: LegendProps) {
  const { zone } = useApp()
  const { channels, title, unit } = group
  const head = unit && !isPrefixed(unit) ? `${title}, ${unit}` : title
  const late = channels.filter((channel) => isStale(channel, now))
  const toggle = ({ key }: Channel) =>
    onHide(hidden.has(key) ? [...hidden].filter((one) => one !== key) : [...hidden, key])
  return (
    <div class="legend">
      <div class="scroll">
        <BookTable
          head={[head, ...numberHeads(['Now', 'At cursor', 'Min', 'Mean', 'Max'])]}
          class="dense"
          label={`${title}, figures`}
        >
          {channels.map((channel) => (
            <Row
              key={channel.key}
              channel={channel}
              limits={thresholds.filter((limit) => limit.enabled && appliesTo(limit, channel))}
              isLate={late.includes(channel)}
              now={now}
              isHidden={hidden.has(channel.key)}
              cursor={cursor.value}
              onToggle={() => toggle(channel)}
            />
          ))}
        </BookTable>
      </div>
      <DataTable lines={channels.map(({ line }) => line)} unit={unit} timeZone={zone.value} {...range} />
      {late.length > 0 && (
        <p class="hint">
          <strong class="tone-warn">No reading</strong>{' '}
          {late
            .slice(0, 4)
            .map(({ label, last, intervalMs }) => {
              const usual = formatSpan(Math.max(1_000, intervalMs))
              return `of ${label} for ${formatSpan(now - (last ?? now))}, usually every ${usual}`
            })
            .join('; ')}
          .{late.length < channels.length && ' The other channels report as usual.'}
        </p>
      )}
    </div>
  )
}

interface RowProps {
  channel: Channel
  limits: readonly Threshold[]
  isLate: boolean
  now: number
  isHidden: boolean
  cursor: number | undefined
  onToggle: () => void
}

function Row({ channel, limits, isLate, now, isHidden, cursor, onToggle }: RowProps) {
  const { label, unit, line, last, figures } = channel
  const { token, dash } = lineStyle(line.style ?? 0)
  const index = cursor === undefined ? undefined : indexAt(line, cursor)
  const at = index === undefined ? undefined : line.mean[index]
  const value = (number: number | undefined) => <Value number={number} unit={unit} limits={limits} />
  return (
    <tr class={isHidden ? 'off' : undefined}>
      <th scope="row">
        <button
          type="button"
          class="link"
          aria-pressed={!isHidden}
          onClick={onToggle}
          title={channel.channel}
        >
          <svg width="22" height="10" aria-hidden="true">
            <path
              d="M0 5h22"
              stroke={`var(--${token})`}
              stroke-width="2.5"
              stroke-dasharray={dash.join(' ')}
            />
          </svg>
          {label}
        </button>
      </th>
      <td class={isLate ? 'number tone-warn' : 'number'}>
        {isLate && '▲ '}
        {value(channel.value)} {last !== undefined && <small>{formatSpan(now - last)} ago</small>}
      </td>
      <td class="number">{value(at)}</td>
      <td class="number">{value(figures?.min)}</td>
      <td class="number">{value(figures?.mean)}</td>
      <td class="number">{value(figures?.max)}</td>
    </tr>
  )
}

function Value({
  number,
  unit,
  limits,
}: {
  number: number | undefined
  unit: string
  limits: readonly Threshold[]
}) {
  if (number === undefined) return '–'
  const near = limits.flatMap(({ kind, limit }) => (kind === 'stale' ? [] : limit))
  const text = formatBeside(number, isPrefixed(unit) ? unit : '', near)
  return isBeyond(number, limits) ? <strong class="tone-bad">▲ {text}</strong> : text
}

function isBeyond(value: number, limits: readonly Threshold[]): boolean {
  return limits.some(({ kind, limit }) =>
    kind === 'above' ? value > limit : kind === 'below' ? value < limit : false,
  )
}
