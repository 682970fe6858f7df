import { useEffect } from 'preact/hooks'
import * as v from 'valibot'
import { MINUTE_MS } from '../../../src/base/portable/units.ts'
import { text } from '../../api/model/fields.ts'
import { useApp } from '../../app/app.ts'
import { useRecords, useResource } from '../../app/use-resource.ts'
import { formatCount } from '../../lib/format.ts'
import { Moment } from '../../parts/Moment.tsx'
import { Loaded, Panel } from '../../parts/Panel.tsx'
import { Status } from '../../parts/Status.tsx'
import { type Column, DataTable } from '../../parts/table/DataTable.tsx'
import { Sparkline } from '../../plots/Sparkline.tsx'
import type { SparkPoint } from '../../plots/spark-path.ts'
import {
  type Figure,
  limitText,
  lookOf,
  type ServiceState,
  type SlowRequest,
  serviceState,
  valueText,
} from './health.ts'
import { UtilizationPanel } from './UtilizationPanel.tsx'

const RENEW_MS = 30_000
/** Values are kept every 5 minutes. */
const GAP_MS = 11 * MINUTE_MS
const lostDrivers = v.object({
  items: v.array(v.object({ id: v.string(), name: v.string(), last_seen: text })),
})

/** The state of the service: figures with limits and course, slow requests, and drivers that were lost. */
export function HealthPanel() {
  const { api, config } = useApp()
  const state = useResource((abort) => api.get('/api/op/service', serviceState, abort))
  useEffect(() => {
    const timer = setInterval(() => !document.hidden && void state.load(), RENEW_MS)
    return () => clearInterval(timer)
  }, [state])
  const version = config.value.value?.version
  return (
    <>
      <Panel title="State of the service" aside={version && <span class="soft">Version {version}</span>}>
        <Loaded of={state} task="load the state of the service" rows={8}>
          {({ figures, unreadable, times, leadership }) => (
            <>
              {leadership && <Leadership {...leadership} />}
              <DataTable
                label="State of the service"
                rows={figures}
                columns={figureColumns(times)}
                id={({ metric }) => metric}
                href={(figure) => lookOf(figure).href}
              />
              <Unreadable metrics={unreadable} />
            </>
          )}
        </Loaded>
        <LostDrivers />
        <p class="hint padded">
          The limits are <a href="/_/settings?q=serviceLimits">a setting</a>. A figure that passes one is
          reported to <a href="/settings/webhooks">webhooks</a> and <a href="/settings/profile">by mail</a>.
        </p>
      </Panel>
      <UtilizationPanel />
      <Panel title="Slowest requests" aside={<span class="soft">of the last one to two hours</span>}>
        <Loaded of={state} task="load the slowest requests" rows={4}>
          {({ slowest }) => (
            <DataTable
              label="Slowest requests"
              rows={slowest}
              columns={SLOW_COLUMNS}
              id={({ route }) => route}
            />
          )}
        </Loaded>
      </Panel>
    </>
  )
}

function Leadership({ epoch, standbys }: NonNullable<ServiceState['leadership']>) {
  return (
    <p class="padded">
      This server leads in epoch {epoch}. {standbyText(standbys)}
    </p>
  )
}

function standbyText(standbys: readonly string[] | null): string {
  if (standbys === null) return 'Which servers are on standby cannot be read.'
  return standbys.length > 0
    ? `On standby: ${standbys.join(', ')}.`
    : 'No other server is on standby: none takes over when this one is lost.'
}

function Unreadable({ metrics }: { metrics: ServiceState['unreadable'] }) {
  if (metrics.length === 0) return null
  return (
    <ul class="padded" aria-label="Figures that cannot be read">
      {metrics.map(({ metric, reason }) => (
        <li key={metric}>
          <code>{metric}</code>: {reason}
        </li>
      ))}
    </ul>
  )
}

function LostDrivers() {
  const query = {
    filter: 'enabled = true && status != "online" && last_seen != ""',
    sort: '-last_seen',
    perPage: '20',
  }
  const lost = useRecords('drivers', query, lostDrivers).value.value?.items ?? []
  if (lost.length === 0) return null
  return (
    <ul class="padded" aria-label="Lost drivers">
      {lost.map(({ id, name, last_seen }) => (
        <li key={id}>
          <a href={`/drivers/${id}`}>{name}</a> is not connected since <Moment at={last_seen} />:{' '}
          <a href={`/_/logs?${new URLSearchParams({ text: name, span: '24h' })}`}>what the log says</a>
        </li>
      ))}
    </ul>
  )
}

function figureColumns(times: readonly number[]): Column<Figure>[] {
  return [
    { title: 'Figure', cell: ({ title }) => title },
    {
      title: 'Now',
      phone: 'state',
      cell: (figure) =>
        figure.is_beyond || !figure.is_read ? (
          <>
            <Status tone="bad" glyph="triangle" word={valueText(figure)} />
            {figure.since && (
              <small class="soft">
                {' since '}
                <Moment at={figure.since} />
              </small>
            )}
          </>
        ) : (
          valueText(figure)
        ),
    },
    { title: 'Limit', class: 'soft', cell: (figure) => limitText(figure) || '–' },
    { title: 'Last day', phone: 'wide', cell: (figure) => <Course figure={figure} times={times} /> },
  ]
}

function Course({ figure, times }: { figure: Figure; times: readonly number[] }) {
  const points = figure.history.flatMap((value, index): SparkPoint[] => {
    const at = times[index]
    return value === null || at === undefined ? [] : [{ at, value }]
  })
  const [first] = points
  if (!first || points.length < 2) return <span class="soft">no values yet</span>
  const { show } = lookOf(figure)
  const values = points.map(({ value }) => value)
  const label = `${figure.title}: ${show(Math.min(...values))} to ${show(Math.max(...values))}`
  return <Sparkline points={points} label={label} gap={GAP_MS} bad={figure.is_beyond} />
}

const SLOW_COLUMNS: Column<SlowRequest>[] = [
  { title: 'Route', cell: ({ route }) => <code>{route}</code> },
  { title: 'Longest, ms', number: true, phone: 'state', cell: ({ ms }) => formatCount(ms) },
  { title: 'At', cell: ({ at }) => <Moment at={at} /> },
]
