import { useSignal } from '@preact/signals'
import type { TargetedKeyboardEvent } from 'preact'
import { useEffect } from 'preact/hooks'
import { DAY_MS, MINUTE_MS } from '../../../src/base/portable/units.ts'
import type { Slot } from '../../api/model/bookings.ts'
import type { Qpu } from '../../api/model/qpus.ts'
import { useApp } from '../../app/app.ts'
import { useQuery } from '../../app/use-query.ts'
import { formatMoment, parseTime } from '../../lib/time.ts'
import { dateIn, timeOfDay } from '../../lib/zone.ts'
import { Dialog } from '../../parts/Dialog.tsx'
import { Empty, Heading, Loaded, Panel } from '../../parts/Panel.tsx'
import { SessionsPanel } from '../../parts/qpu/SessionsPanel.tsx'
import { CalendarFeed } from './CalendarFeed.tsx'
import { CancelDialog } from './CancelDialog.tsx'
import { Controls, Legend } from './Controls.tsx'
import { DayList } from './DayList.tsx'
import { DraftForm, titleOfDraft } from './DraftForm.tsx'
import { nearestFree } from './logic/conflicts.ts'
import { afterKey, type Draft, firstDraft, formatTimes } from './logic/draft.ts'
import { type Entry, isTaken, leadOf } from './logic/entries.ts'
import { formatDay, formatLongDay, formatWeek, weekOf } from './logic/week.ts'
import { type Plan, planOf } from './plan.ts'
import { useBooking, useCalendar, useOwnSlots } from './state.ts'
import type { Actions } from './use-drag.ts'
import { useView } from './view.ts'
import { WeekGrid } from './WeekGrid.tsx'
import { YourSlots } from './YourSlots.tsx'

/** Where superusers, who are not limited, are offered free times. */
const FAR_MS = 400 * DAY_MS

/** Who has which QPU when; users draw, move and cancel their slots. */
export function BookingsPage() {
  const { qpus } = useApp()
  const query = useQuery()
  const named = query.get('qpu')
  return (
    <Loaded of={qpus} task="load the QPUs" rows={8} title="Bookings">
      {(list) => {
        const qpu = list.find(({ name }) => name === named) ?? list[0]
        return qpu ? <QpuCalendar key={qpu.id} qpu={qpu} qpus={list} /> : <NoQpu />
      }}
    </Loaded>
  )
}

function NoQpu() {
  const { superuser } = useApp()
  return (
    <>
      <Heading title="Bookings" />
      <Panel title="Calendar">
        <Empty action={superuser.value ? <a href="/drivers">Register a driver</a> : undefined}>
          There is no QPU to book yet.
        </Empty>
      </Panel>
    </>
  )
}

function QpuCalendar({ qpu, qpus }: { qpu: Qpu; qpus: readonly Qpu[] }) {
  const { auth, superuser, announcer, config, toast } = useApp()
  const query = useQuery()
  const signedIn = auth.current.value !== undefined
  const { zone, now, narrow, monday, day, today, isDay, axis } = useView()
  const [first, days] = [axis.days[0]?.date ?? monday, axis.days.length]
  const calendar = useCalendar({ qpu: qpu.id, zone, first, days })
  const own = useOwnSlots()
  const booking = useBooking()
  const cancelled = useSignal<Slot | undefined>(undefined)

  const ahead = (config.value.value?.booking?.max_ahead_seconds ?? 60 * 86_400) * 1_000
  const limits = {
    start: superuser.value ? Number.NEGATIVE_INFINITY : Math.ceil(now / MINUTE_MS) * MINUTE_MS,
    end: now + (superuser.value ? FAR_MS : ahead + DAY_MS),
  }
  const entries = calendar.entries.value.value ?? []
  const draft = booking.draft.value
  const plan = draft && planOf(draft, entries, { ...limits, start: Math.max(limits.start, now - FAR_MS) })
  const shown = { axis, entries, now, zone, superuser: superuser.value }

  /** Shows the days around a time. */
  const show = (ms: number) => {
    const date = dateIn(ms, zone)
    query.set({ week: weekOf(date), day: date })
  }
  const edit = ({ slot, start, end }: Pick<Entry, 'slot' | 'start' | 'end'>) => {
    if (slot) booking.set({ id: slot.id, start, end })
  }
  const book = async () => {
    const asked = booking.draft.peek()
    if (!asked || (plan && plan.conflicts.length > 0)) return
    const times = `${formatLongDay(dateIn(asked.start, zone))}, ${formatTimes(asked, zone)}`
    if (!(await booking.save(qpu.id, zone))) return
    toast(`${asked.id === undefined ? 'Booked' : 'Changed'}: ${qpu.name}, ${times}.`)
    calendar.reload()
    own.loadSoon()
  }
  const begin = () => {
    const wanted = firstDraft(now, axis.days[0]?.start ?? now)
    const free = nearestFree(wanted, entries.filter(isTaken), {
      start: wanted.start,
      end: limits.end,
    })
    start(free ?? wanted)
  }
  const start = (next: Draft) => {
    booking.set(next)
    show(next.start)
    announcer.say(describe(planOf(next, entries, limits), zone))
  }
  const isAsked = query.get('new') === '1' && signedIn && calendar.entries.value.value !== undefined
  useEffect(() => {
    if (!isAsked) return
    query.set({ new: '' })
    begin()
  }, [isAsked])
  const actions: Actions = {
    draft: () => booking.draft.peek(),
    set: booking.set,
    draftOf(id) {
      const entry = entries.find(({ slot }) => slot?.id === id)
      return entry && { id, start: entry.start, end: entry.end }
    },
    edit,
    cancel(slot) {
      cancelled.value = slot
    },
    earliest: () => limits.start,
  }
  const onKeyDown = (event: TargetedKeyboardEvent<HTMLElement>) => {
    if (event.ctrlKey || event.metaKey || event.target !== event.currentTarget) {
      if (event.key === 'Escape') booking.set(undefined)
      return
    }
    if (event.key === 'Tab' && !event.shiftKey && draft) {
      event.currentTarget.querySelector<HTMLElement>('.draft-dialog input')?.focus()
      event.preventDefault()
      return
    }
    const key = { key: event.key, shift: event.shiftKey, fine: event.altKey }
    const handled = draft ? onDraftKey(draft, key) : /^(Enter|Arrow(Up|Down|Left|Right))$/.test(event.key)
    if (!handled) return
    event.preventDefault()
    if (!draft) begin()
  }
  const onDraftKey = (current: Draft, key: Parameters<typeof afterKey>[1]): boolean => {
    const next = afterKey(current, key, zone)
    if (next) start(next)
    else if (key.key === 'Enter') void book()
    else if (key.key === 'Escape') booking.set(undefined)
    else if (key.key === 'Delete' && current.id !== undefined) {
      cancelled.value = entries.find(({ slot }) => slot?.id === current.id)?.slot
    } else return false
    return true
  }
  const write = (ms: number) =>
    dateIn(ms, zone) === today ? timeOfDay(ms, zone) : formatMoment(ms, now, zone)
  const coming = calendar.coming.value.value
  const title = isDay ? formatLongDay(day) : formatWeek(monday)
  const form = plan && (
    <DraftForm
      key={plan.draft.id}
      plan={plan}
      booking={booking}
      zone={zone}
      superuser={superuser.value}
      onChange={start}
      onBook={() => void book()}
    />
  )
  return (
    <>
      <Heading title="Bookings" lead={coming && leadOf(qpu.name, coming, now, write)}>
        <Controls qpu={qpu} qpus={qpus} zone={zone} monday={monday} day={day} isDay={isDay} narrow={narrow} />
        {signedIn ? (
          <button type="button" class="primary" onClick={begin}>
            Book a slot
          </button>
        ) : (
          <a class="button primary" href={`/login?next=${encodeURIComponent('/bookings?new=1')}`}>
            Sign in to book
          </a>
        )}
      </Heading>
      <Panel title={title} aside={narrow ? undefined : <Legend />}>
        <Loaded of={calendar.entries} task="load the calendar" rows={14}>
          {() =>
            narrow ? (
              <DayList
                {...shown}
                selected={axis.days.findIndex(({ date }) => date === day)}
                onSelect={(date) => query.set({ day: date, week: weekOf(date) })}
                plan={plan}
                onDraft={start}
                onEdit={edit}
              />
            ) : (
              <WeekGrid
                {...shown}
                label={`${isDay ? formatLongDay(day) : `Week ${Number(weekOf(monday).slice(6))}`} of ${qpu.name}`}
                plan={plan}
                actions={signedIn ? actions : { ...actions, set: () => undefined }}
                onKeyDown={signedIn ? onKeyDown : () => undefined}
                form={form}
              />
            )
          }
        </Loaded>
      </Panel>
      {plan && narrow && (
        <Dialog title={titleOfDraft(plan, zone)} open onClose={() => booking.set(undefined)}>
          {form}
        </Dialog>
      )}
      {signedIn && (
        <div class="booking-panels">
          <YourSlots
            slots={own}
            zone={zone}
            now={now}
            onCancel={actions.cancel}
            onChange={(slot, at) => {
              const name = qpus.find(({ id }) => id === slot.qpu)?.name ?? qpu.name
              const date = dateIn(at, zone)
              query.set({ qpu: name, week: weekOf(date), day: date })
              booking.set({ id: slot.id, start: at, end: parseTime(slot.end_time) ?? at })
            }}
          />
          <SessionsPanel />
          <CalendarFeed />
        </div>
      )}
      <CancelDialog
        slot={cancelled}
        zone={zone}
        onDone={() => {
          booking.set(undefined)
          calendar.reload()
          own.loadSoon()
        }}
      />
    </>
  )
}

/** A draft for screen readers. */
function describe({ draft, conflicts }: Plan, zone: string): string {
  const state = conflicts.length > 0 ? 'overlaps with a booked slot' : 'free'
  return `${formatDay(dateIn(draft.start, zone))}, ${formatTimes(draft, zone)}, ${state}`
}
