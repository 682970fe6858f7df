import { useEffect } from 'preact/hooks'
import * as v from 'valibot'
import { text } from '../../api/model/fields.ts'
import { useApp } from '../../app/app.ts'
import { useRecords } from '../../app/use-records.ts'
import { useResource } from '../../app/use-resource.ts'
import { Moment } from '../../parts/Moment.tsx'
import { Loaded, Panel } from '../../parts/Panel.tsx'
import { Status } from '../../parts/Status.tsx'
import { type Column, DataTable } from '../../parts/table/DataTable.tsx'
import { type HealthRow, healthOf, readGauges } from './health.ts'

const RENEW_MS = 30_000
const lostDrivers = v.object({
  items: v.array(v.object({ id: v.string(), name: v.string(), last_seen: text })),
})

/** The state of the service: figures with their limits, and drivers that were connected and no longer are. */
export function HealthPanel() {
  const { api, config } = useApp()
  const metrics = useResource(async () => healthOf(readGauges(await (await api.file('/metrics')).text())))
  useEffect(() => {
    const timer = setInterval(metrics.load, RENEW_MS)
    return () => clearInterval(timer)
  }, [metrics])
  const query = {
    filter: 'enabled = true && status != "online" && last_seen != ""',
    sort: '-last_seen',
    perPage: '20',
  }
  const lost = useRecords('drivers', query, lostDrivers).value.value?.items ?? []
  const version = config.value.value?.version
  return (
    <Panel title="State of the service" aside={version && <span class="soft">Version {version}</span>}>
      <Loaded of={metrics} task="load the metrics" rows={8}>
        {(rows) => (
          <DataTable
            label="State of the service"
            rows={rows}
            columns={COLUMNS}
            id={({ title }) => title}
            href={({ href }) => href}
          />
        )}
      </Loaded>
      {lost.length > 0 && (
        <ul class="padded" aria-label="Lost drivers">
          {lost.map(({ id, name, last_seen }) => (
            <li key={id}>
              <a href={`/drivers/${id}`}>{name}</a> is not connected since <Moment at={last_seen} />
            </li>
          ))}
        </ul>
      )}
    </Panel>
  )
}

const COLUMNS: Column<HealthRow>[] = [
  { title: 'Figure', cell: ({ title }) => title },
  {
    title: 'Now',
    phone: 'state',
    cell: ({ value, isBeyond }) => (isBeyond ? <Status tone="bad" glyph="triangle" word={value} /> : value),
  },
  { title: 'Limit', class: 'soft', cell: ({ limit }) => limit || 'none' },
]
