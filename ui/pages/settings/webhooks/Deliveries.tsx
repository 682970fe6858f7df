import { useEffect } from 'preact/hooks'
import { type Delivery, deliveries } from '../../../api/model/webhooks.ts'
import { useApp } from '../../../app/app.ts'
import { useResource } from '../../../app/use-resource.ts'
import { Moment } from '../../../parts/Moment.tsx'
import { Loaded } from '../../../parts/Panel.tsx'
import { Status } from '../../../parts/Status.tsx'
import { DataTable } from '../../../parts/table/DataTable.tsx'

const SHOWN = 20
/** Webhooks have no topic of the event stream; a pending delivery is soon decided. */
const REFRESH_MS = 2_000

/** The newest deliveries of a webhook. */
export function Deliveries({ webhook }: { webhook: string }) {
  const { api } = useApp()
  const list = useResource((abort) =>
    api.get(`/api/webhooks/${webhook}/deliveries?limit=${SHOWN}`, deliveries, abort),
  )
  const waits = list.value.value?.some(({ state }) => state === 'pending') === true
  useEffect(() => {
    if (!waits) return undefined
    const timer = setInterval(() => list.loadSoon(), REFRESH_MS)
    return () => clearInterval(timer)
  }, [waits])
  return (
    <Loaded of={list} task="load the deliveries" rows={2}>
      {(rows) => (
        <DataTable
          empty="Nothing was delivered yet. Send a test to see whether the receiver responds."
          label="Deliveries"
          rows={rows}
          id={({ id }) => id}
          columns={[
            { title: 'Event', cell: ({ kind }) => <code>{kind}</code> },
            { title: 'State', phone: 'state', cell: (row) => <Outcome delivery={row} /> },
            { title: 'Created', cell: ({ created }) => <Moment at={created} /> },
            { title: 'Attempts', number: true, phone: 'absent', cell: ({ attempts }) => attempts },
            { title: 'Response', phone: 'wide', cell: (row) => <Answer delivery={row} /> },
          ]}
        />
      )}
    </Loaded>
  )
}

function Outcome({ delivery: { state } }: { delivery: Delivery }) {
  if (state === 'delivered') return <Status tone="ok" glyph="check" word="Delivered" />
  if (state === 'failed') return <Status tone="bad" glyph="cross" word="Failed" />
  return <Status tone="idle" glyph="pause" word="Pending" />
}

function Answer({ delivery }: { delivery: Delivery }) {
  const { status, error, next_attempt, duration_ms, attempts } = delivery
  if (attempts === 0) return <>–</>
  return (
    <>
      {error || `${status} after ${Math.round(duration_ms)} ms`}
      {next_attempt && (
        <span class="soft">
          , again at <Moment at={next_attempt} />
        </span>
      )}
    </>
  )
}
