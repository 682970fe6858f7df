import { useSignal } from '@preact/signals'
import { type DriverEvent, driverEvents } from '../../api/model/equipment/drivers.ts'
import { useApp } from '../../app/app.ts'
import { useLive } from '../../app/use-live.ts'
import { useQuery } from '../../app/use-query.ts'
import { useResource } from '../../app/use-resource.ts'
import { CodeBlock } from '../../parts/CodeBlock.tsx'
import { Dialog } from '../../parts/Dialog.tsx'
import { Moment } from '../../parts/Moment.tsx'
import { Empty, Loaded, Panel } from '../../parts/Panel.tsx'
import { DataTable } from '../../parts/table/DataTable.tsx'
import { Pager } from '../../parts/table/Pager.tsx'
import { EventFilters } from './EventFilters.tsx'
import { conditionOf, type EventFilter } from './event-filter.ts'
import { summarizeEvent } from './summarize-event.ts'

const PAGE_SIZE = 25
const RELOAD_MS = 3_000

interface EventLogProps {
  /** Only the events of this driver; otherwise the driver and its QPU are filters. */
  driver?: string
  /** Names of drivers by id. */
  drivers?: ReadonlyMap<string, string>
}

/** The log of what drivers reported, the newest first, narrowed down by the address of the page. */
export function EventLog({ driver, drivers }: EventLogProps) {
  const { api, named } = useApp()
  const query = useQuery()
  const opened = useSignal<DriverEvent | undefined>(undefined)
  const filter: EventFilter = {
    driver: driver ?? query.get('driver'),
    qpu: query.get('qpu'),
    type: query.get('type'),
    subject: query.get('subject'),
    from: query.get('from'),
    to: query.get('to'),
  }
  const page = Math.max(1, Number(query.get('page')) || 1)
  const events = useResource(
    async (abort) => {
      const parameters = new URLSearchParams({
        filter: conditionOf(filter, Date.now()),
        sort: '-ts',
        page: String(page),
        perPage: String(PAGE_SIZE),
        skipTotal: 'true',
        fields: 'id,type,ts,driver,payload',
      })
      const path = `/api/collections/${named('events')}/records?${parameters}`
      return (await api.get(path, driverEvents, abort)).items
    },
    [JSON.stringify(filter), page],
  )
  useLive('events/*', (event) => {
    const isOther = filter.driver !== '' && event.record['driver'] !== filter.driver
    if (page === 1 && !isOther) events.loadSoon(RELOAD_MS)
  })
  return (
    <Panel title="Events">
      <EventFilters filter={filter} drivers={drivers} set={(part) => query.set({ ...part, page: null })} />
      <Loaded of={events} task="read the events" rows={6}>
        {(rows) =>
          rows.length === 0 ? (
            <Empty>{filter.from ? 'No event matches.' : 'No event of the last 7 days matches.'}</Empty>
          ) : (
            <DataTable
              label="Events"
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
                    <button
                      type="button"
                      class="link"
                      onClick={() => {
                        opened.value = event
                      }}
                    >
                      JSON
                    </button>
                  ),
                },
              ]}
            />
          )
        }
      </Loaded>
      <Pager
        page={page}
        size={PAGE_SIZE}
        shown={events.value.value?.length ?? 0}
        set={(next) => query.set({ page: next === 1 ? null : next })}
      />
      {opened.value && (
        <EventDialog
          event={opened.value}
          close={() => {
            opened.value = undefined
          }}
        />
      )}
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
