import { useEffect } from 'preact/hooks'
import { MINUTE_MS } from '../../../src/base/portable/units.ts'
import {
  type ReadingSeries,
  readings,
  type Stage,
  type Threshold,
} from '../../api/model/equipment/monitoring.ts'
import { useApp } from '../../app/app.ts'
import { useResource } from '../../app/use-resource.ts'
import { formatNumberOf } from '../../lib/format.ts'
import { formatQuantity } from '../../lib/quantity.ts'
import { unitScale } from '../../plots/chip/metric.ts'
import { Sparkline } from '../../plots/Sparkline.tsx'
import { Empty, Loaded, Panel } from '../Panel.tsx'
import { inOrder, nameOf } from './stages.ts'

const MAX_CHANNELS = 6
const POINTS = 96
const RENEW_MS = MINUTE_MS
/** Buckets without readings after which a line has a gap. */
const GAP_STEPS = 3

type ChannelLimit = Pick<Threshold, 'channel' | 'kind' | 'limit' | 'breached_at'>

interface MonitorProps {
  id: string
  title: string
  limits: readonly ChannelLimit[]
  /** Its named channels, which are shown first. */
  stages: readonly Stage[]
}

/** The readings of a monitor in the last 24 hours, the first stage of the lab or the coldest one first. */
export function MonitorPanel({ id, title, limits, stages }: MonitorProps) {
  const { api } = useApp()
  const series = useResource(
    (abort) => api.get(`/api/events/series?driver=${id}&points=${POINTS}`, readings, abort),
    [id],
  )
  useEffect(() => {
    const timer = setInterval(series.load, RENEW_MS)
    return () => clearInterval(timer)
  }, [series])
  return (
    <Panel title={title} aside={<a href={`/monitoring?driver=${id}`}>Monitoring</a>}>
      <Loaded of={series} task="load the monitor" rows={4}>
        {(loaded) => {
          const reporting = inOrder(
            loaded.series.filter(({ at }) => at.length > 0),
            stages,
          )
          const channels = reporting.slice(0, MAX_CHANNELS)
          const others = reporting.length - channels.length
          if (channels.length === 0) return <Empty>No readings in the last 24 hours.</Empty>
          return (
            <ul class="channels">
              {channels.map((channel) => (
                <Channel
                  key={channel.channel + channel.unit}
                  of={channel}
                  name={nameOf(channel.channel, stages)}
                  gap={loaded.step_ms * GAP_STEPS}
                  limits={limits.filter((limit) => limit.channel === channel.channel)}
                />
              ))}
              {others > 0 && (
                <li>
                  <a href={`/monitoring?driver=${id}`}>{formatNumberOf(others, 'more channel')}</a>
                </li>
              )}
            </ul>
          )
        }}
      </Loaded>
    </Panel>
  )
}

interface ChannelProps {
  of: ReadingSeries
  /** The name that the lab gave it. */
  name: string | undefined
  gap: number
  limits: readonly ChannelLimit[]
}

function Channel({ of: { channel, unit, at, mean, min, max }, name, gap, limits }: ChannelProps) {
  const raw = { id: channel, title: channel, stored: unit, better: 'none', fraction: false, rank: 0 } as const
  const scale = unitScale(raw, mean)
  const show = (value: number, named = false) =>
    formatQuantity(value * scale.factor, named ? { unit: scale.unit } : {})
  const last = mean.at(-1) ?? Number.NaN
  const range = `${show(Math.min(...min))} – ${show(Math.max(...max))}`
  const limit = limits.find(({ kind }) => kind !== 'stale')
  const isBad = limits.some(({ breached_at }) => breached_at)
  return (
    <li>
      {name ? <strong title={channel}>{name}</strong> : <code>{channel}</code>}
      <Sparkline
        points={at.map((ms, index) => ({ at: ms, value: mean[index] ?? 0 }))}
        gap={gap}
        bad={isBad}
        label={`${name ?? channel}: ${show(last, true)} now, ${range} in the last 24 hours`}
      />
      <span class="reading">
        <strong class={isBad ? 'tone-bad' : undefined}>
          {isBad && '▲ '}
          {show(last, true)}
        </strong>
        <small>
          {range}
          {limit && `, limit ${Number((limit.limit * scale.factor).toPrecision(6))}`}
        </small>
      </span>
    </li>
  )
}
