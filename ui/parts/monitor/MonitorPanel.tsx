import { useEffect } from 'preact/hooks'
import { MINUTE_MS } from '../../../src/base/portable/units.ts'
import { readings, type Stage, type Threshold } from '../../api/model/equipment/monitoring.ts'
import { useApp } from '../../app/app.ts'
import { useNow } from '../../app/use-now.ts'
import { useResource } from '../../app/use-resource.ts'
import { formatNumberOf } from '../../lib/format.ts'
import { formatBeside, formatReadingLimit } from '../../lib/reading.ts'
import { formatSpan } from '../../lib/time.ts'
import { Sparkline } from '../../plots/Sparkline.tsx'
import { Empty, Loaded, Panel } from '../Panel.tsx'
import { type Channel, isStale, toChannels } from './channels.ts'
import { inOrder } from './stages.ts'

const MAX_CHANNELS = 6
const POINTS = 96
const RENEW_MS = MINUTE_MS
const TICK_MS = 5_000

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
  const now = useNow(TICK_MS)
  useEffect(() => {
    const timer = setInterval(series.load, RENEW_MS)
    return () => clearInterval(timer)
  }, [series])
  return (
    <Panel title={title} aside={<a href={`/monitoring?driver=${id}`}>Monitoring</a>}>
      <Loaded of={series} task="load the monitor" rows={4}>
        {(loaded) => {
          const reporting = inOrder(
            toChannels(loaded, stages).filter(({ figures }) => figures),
            stages,
          )
          const channels = reporting.slice(0, MAX_CHANNELS)
          const others = reporting.length - channels.length
          if (channels.length === 0) return <Empty>No readings in the last 24 hours.</Empty>
          return (
            <ul class="channels">
              {channels.map((channel) => (
                <Row
                  key={channel.key}
                  of={channel}
                  now={now.value}
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

interface RowProps {
  of: Channel
  now: number
  limits: readonly ChannelLimit[]
}

/** A channel as *Monitoring* names it: its newest reading with the age of it, and the last 24 hours. */
function Row({ of, now, limits }: RowProps) {
  const { channel, unit, label, line, last = now, value, figures } = of
  const near = limits.flatMap(({ kind, limit }) => (kind === 'stale' ? [] : limit))
  const show = (number: number | undefined) => (number === undefined ? '–' : formatBeside(number, unit, near))
  const range = `${show(figures?.min)} – ${show(figures?.max)}`
  const age = `${formatSpan(Math.max(0, now - last))} ago`
  const [bad, late] = [limits.some(({ breached_at }) => breached_at), isStale(of, now)]
  return (
    <li>
      <strong title={channel}>{label}</strong>
      <Sparkline
        points={line.at.map((ms, index) => ({ at: ms, value: line.mean[index] ?? 0 }))}
        gap={line.gapMs ?? 0}
        bad={bad}
        label={`${label}: ${show(value)} ${age}, ${range} in the last 24 hours`}
      />
      <span class="reading">
        <strong class={bad ? 'tone-bad' : late ? 'tone-warn' : undefined}>
          {(bad || late) && '▲ '}
          {show(value)} <small>{age}</small>
        </strong>
        <small>
          {range}
          {near[0] !== undefined && `, limit ${formatReadingLimit(near[0], unit)}`}
        </small>
      </span>
    </li>
  )
}
