import { drivers as schema } from '../../api/model/equipment/drivers.ts'
import { useApp } from '../../app/app.ts'
import { useResource } from '../../app/use-resource.ts'
import { Breadcrumb, Heading } from '../../parts/Panel.tsx'
import { EventLog } from './EventLog.tsx'

/** More than the ports of a server serve. */
const MAX_DRIVERS = 500
const FIELDS =
  'id,name,qpu,operation,device,status,enabled,command_port,result_port,host,version,last_seen,created'

/** What all drivers reported. */
export function EventsPage() {
  const { api, named, qpus } = useApp()
  const search = new URLSearchParams({ perPage: String(MAX_DRIVERS), skipTotal: 'true', fields: FIELDS })
  const list = useResource(
    async (abort) =>
      (await api.get(`/api/collections/${named('drivers')}/records?${search}`, schema, abort)).items,
  )
  const qpuName = (id: string) => qpus.value.value?.find((qpu) => qpu.id === id)?.name
  const drivers = new Map(
    (list.value.value ?? []).map(({ id, name, qpu }) => [
      id,
      [name, qpuName(qpu)].filter(Boolean).join(', '),
    ]),
  )
  return (
    <>
      <Breadcrumb href="/drivers" list="Drivers">
        Events
      </Breadcrumb>
      <Heading
        title="Events"
        lead="What drivers reported, newest first. Heartbeats and results of jobs are not kept."
      />
      <EventLog drivers={drivers} />
    </>
  )
}
