import { type DriverEvent, driverEvents } from '../../api/model/equipment/drivers.ts'
import { useApp } from '../../app/app.ts'
import { useQuery } from '../../app/use-query.ts'
import { useLive, useResource } from '../../app/use-resource.ts'
import { CodeBlock } from '../../parts/CodeBlock.tsx'
import { Dialog } from '../../parts/Dialog.tsx'
import { useDialog } from '../../parts/form/use-dialog.ts'
import { Moment } from '../../parts/Moment.tsx'
import { Loaded, Panel } from '../../parts/Panel.tsx'
import { DataTable } from '../../parts/table/DataTable.tsx'
import { usePages } from '../../parts/table/Pager.tsx'
import { EventFilters } from './EventFilters.tsx'
import { conditionOf, type EventFilter, hasType } from './event-filter.ts'
import { summarizeEvent } from './summarize-event.ts'

const PAGE_SIZE = 25
const RELOAD_MS = 3_000
const COUNT_MS = 10_000

interface EventLogProps {
  /** Only the events of this driver; otherwise the driver and its QPU are filters. */
  driver?: string
  /** Names of drivers by id. */
  drivers?: ReadonlyMap<string, string>
}

/** The log of what drivers reported, the newest first, narrowed down by the address of the page. */
export function EventLog({ driver, drivers }: EventLogProps) {
  const { api, named, zone } = useApp()
  const query = useQuery()
  const [shown, open] = useDialog<DriverEvent>((event, close) => <EventDialog event={event} close={close} />)
  const filter: EventFilter = {
    driver: driver ?? query.get('driver'),
    qpu: query.get('qpu'),
    type: query.get('type'),
    subject: query.get('subject'),
    from: query.get('from'),
    to: query.get('to'),
  }
  const { page, pages } = usePages(PAGE_SIZE)
  const read = (parameters: Readonly<Record<string, string>>, abort: AbortSignal) => {
    const condition = conditionOf(filter, Date.now(), zone.value)
    const search = new URLSearchParams({ filter: condition, ...parameters })
    return api.get(`/api/collections/${named('events')}/records?${search}`, driverEvents, abort)
  }
  const wanted = JSON.stringify([filter, zone.value])
  const events = useResource(
    async (abort) => {
      const fields = 'id,type,ts,driver,payload'
      const rows = { sort: '-ts', page: String(page), perPage: String(PAGE_SIZE), skipTotal: 'true', fields }
      return (await read(rows, abort)).items
    },
    [wanted, page],
  )
  // Counted apart, so that the page never waits for it; where it takes too long, there is no total.
  const total = useResource(
    async (abort) => (await read({ perPage: '1', fields: 'id,type,ts,driver,payload' }, abort)).totalItems,
    [wanted],
  )
  useLive('events/*', ({ record }) => {
    const isOther = filter.driver !== '' && record['driver'] !== filter.driver
    if (page !== 1 || isOther || !hasType(filter, String(record['type']))) return
    events.loadSoon(RELOAD_MS)
    total.loadSoon(COUNT_MS)
  })
  return (
    <Panel title="Events">
      <EventFilters filter={filter} drivers={drivers} set={(part) => query.set({ ...part, page: null })} />
      <Loaded of={events} task="read the events" rows={6}>
        {(rows) => (
          <DataTable
            label="Events"
            list="events"
            pages={{ ...pages, total: total.error.value ? undefined : total.value.value }}
            empty={filter.from ? 'No event matches.' : 'No event of the last 7 days matches.'}
            rows={rows}
            id={({ id }) => id}
            busy={events.loading.value}
            columns={[
              { title: 'Time', cell: ({ ts }) => <Moment at={ts} /> },
              ...(drivers
                ? [
                    {
                      title: 'Driver',
                      cell: ({ driver: id }: DriverEvent) => drivers.get(id) ?? (id ? 'removed' : '–'),
                    },
                  ]
                : []),
              { title: 'Type', phone: 'state', cell: ({ type }) => type },
              {
                title: 'Content',
                phone: 'wide',
                cell: (event) => <span class="event-summary">{summarizeEvent(event)}</span>,
              },
              {
                title: 'Actions',
                untitled: true,
                number: true,
                cell: (event) => (
                  <button type="button" class="link" onClick={() => open(event)}>
                    JSON
                    <span class="unseen">
                      {' '}
                      of {event.type}, {event.ts}
                    </span>
                  </button>
                ),
              },
            ]}
          />
        )}
      </Loaded>
      {shown}
    </Panel>
  )
}

function EventDialog({ event, close }: { event: DriverEvent; close: () => void }) {
  return (
    <Dialog title={event.type} open onClose={close} wide>
      <div class="form">
        <CodeBlock title={event.ts} text={JSON.stringify(event.payload, null, 2)} />
        <div class="actions end">
          <button type="button" onClick={close}>
            Close
          </button>
        </div>
      </div>
    </Dialog>
  )
}
