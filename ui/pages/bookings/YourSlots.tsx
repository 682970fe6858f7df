import { type Slot, slot as slotSchema } from '../../api/model/bookings.ts'
import type { Resource } from '../../api/resource.ts'
import { useApp } from '../../app/app.ts'
import { parseTime } from '../../lib/time.ts'
import { dateIn } from '../../lib/zone.ts'
import { Loaded, Panel } from '../../parts/Panel.tsx'
import { type Column, DataTable } from '../../parts/table/DataTable.tsx'
import { useAction } from '../../parts/use-confirm.ts'
import { formatLength, formatTimes } from './logic/draft.ts'
import { formatShortDate } from './logic/week.ts'

interface YourSlotsProps {
  slots: Resource<Slot[]>
  zone: string
  now: number
  onChange: (slot: Slot, start: number) => void
  onCancel: (slot: Slot) => void
}

const rangeOf = ({ start_time, end_time }: Slot) => ({
  start: parseTime(start_time) ?? 0,
  end: parseTime(end_time) ?? 0,
})

/** The coming slots of the account on all QPUs, and the rules of booking. */
export function YourSlots({ slots, zone, now, onChange, onCancel }: YourSlotsProps) {
  const { api, config, qpus } = useApp()
  const act = useAction()
  const nameOf = (id: string | null) =>
    id === '' ? 'every QPU' : (qpus.value.value?.find((qpu) => qpu.id === id)?.name ?? 'a removed QPU')
  const endNow = async (slot: Slot) => {
    const body = 'Others can then book the rest of its time. Running jobs finish.'
    const end = () => api.post(`/api/bookings/${slot.id}/end`, {}, slotSchema)
    const question = { title: 'End the slot now?', body, action: 'End the slot' }
    if (await act(question, end, 'The slot has ended.')) slots.loadSoon()
  }
  const columns: Column<Slot>[] = [
    {
      title: 'Your upcoming slots',
      cell: (slot) => {
        const range = rangeOf(slot)
        const times = formatTimes(range, zone)
        return (
          <span>
            {range.start <= now ? <strong>Now</strong> : formatShortDate(dateIn(range.start, zone))}, {times}
            {slot.series && <small class="soft"> weekly</small>}
          </span>
        )
      },
    },
    { title: 'QPU', cell: (slot) => nameOf(slot.qpu), phone: 'state' },
    { title: 'Length', number: true, cell: (slot) => formatLength(rangeOf(slot)) },
    {
      title: 'Actions',
      untitled: true,
      cell: (slot) => {
        const { start } = rangeOf(slot)
        const label = `${formatShortDate(dateIn(start, zone))}, ${formatTimes(rangeOf(slot), zone)}`
        return (
          <span class="row-actions">
            {start <= now ? (
              <button type="button" class="link" onClick={() => void endNow(slot)}>
                End now<span class="unseen"> the slot of {nameOf(slot.qpu)}</span>
              </button>
            ) : (
              <>
                <button
                  type="button"
                  class="link"
                  aria-label={`Change ${label}`}
                  onClick={() => onChange(slot, start)}
                >
                  Change
                </button>
                <button
                  type="button"
                  class="link"
                  aria-label={`Cancel ${label}`}
                  onClick={() => onCancel(slot)}
                >
                  Cancel
                </button>
              </>
            )}
          </span>
        )
      },
    },
  ]
  const policy = config.value.value?.booking
  return (
    <Panel title="Your slots">
      <Loaded of={slots} task="load your slots" rows={3}>
        {(list) => (
          <DataTable
            empty="You have no upcoming slots. Book one in the calendar."
            label="Your upcoming slots"
            rows={list}
            columns={columns}
            id={({ id }) => id}
            rowClass={() => 'mine'}
          />
        )}
      </Loaded>
      {policy && (
        <p class="hint padded">
          Unused time goes to others after {seconds(policy.idle_seconds)} without a job. Slots last at most{' '}
          {hours(policy.max_length_seconds)} and start at most {days(policy.max_ahead_seconds)} ahead.{' '}
          <a href="/docs/how-to/book-time">How slots work</a>
        </p>
      )}
    </Panel>
  )
}

const seconds = (value: number) => formatLength({ start: 0, end: value * 1_000 })
const hours = (value: number) => formatLength({ start: 0, end: value * 1_000 })
const days = (value: number) => {
  const count = value / 86_400
  return count >= 2 ? `${Math.round(count)} days` : hours(value)
}
