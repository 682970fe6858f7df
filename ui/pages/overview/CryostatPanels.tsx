import { monitors } from '../../api/model/equipment/monitoring.ts'
import { useRecords } from '../../app/use-resource.ts'
import { MonitorPanel } from '../../parts/monitor/MonitorPanel.tsx'
import type { ChannelLimit } from './model.ts'

/** Monitors on the overview; the page of monitoring has all of them. */
const MAX_MONITORS = 2

/** The readings of the last 24 hours of the first monitors. */
export function CryostatPanels({ limits }: { limits: readonly ChannelLimit[] }) {
  const query = { filter: 'operation = "monitor"', sort: 'created', perPage: String(MAX_MONITORS) }
  const found = useRecords('drivers', query, monitors).value.value?.items ?? []
  return (
    <>
      {found.map(({ id, name, stages }) => (
        <MonitorPanel
          key={id}
          id={id}
          title={found.length > 1 ? `${name}, last 24 h` : 'Cryostat, last 24 h'}
          stages={stages}
          limits={limits.filter(({ driver }) => driver === id)}
        />
      ))}
    </>
  )
}
