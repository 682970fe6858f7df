import { type Signal, signal } from '@preact/signals'
import { useEffect, useMemo } from 'preact/hooks'
import { DAY_MS } from '../../../src/base/portable/units.ts'
import { booked, type Slot, slot, slots } from '../../api/model/bookings.ts'
import { schedule } from '../../api/model/schedule.ts'
import type { Resource } from '../../api/resource.ts'
import { type App, useApp } from '../../app/app.ts'
import { useLive, useResource } from '../../app/use-resource.ts'
import { shiftDate, startOfDate } from '../../lib/zone.ts'
import type { Range } from './logic/conflicts.ts'
import type { Draft } from './logic/draft.ts'
import { type Entry, entriesOf } from './logic/entries.ts'

/** Days after the shown ones that are searched for a free time. */
const AHEAD_DAYS = 14
/** The stream reports no slots of others, so the schedule is also read now and then. */
const RELOAD_MS = 30_000
const MAX_SLOTS = 500

/** What is shown: some days of one QPU in a zone. */
interface View {
  /** Id of the QPU. */
  qpu: string
  zone: string
  first: string
  days: number
}

/** The calendar of one QPU: what occupies it, and what is booked next. */
export interface Calendar {
  entries: Resource<Entry[]>
  /** What occupies the QPU from now on. */
  coming: Resource<Entry[]>
  reload(): void
}

/** Loads the calendar of a view and keeps it current. */
export function useCalendar({ qpu, zone, first, days }: View): Calendar {
  const { api, named, live, auth } = useApp()
  const range = (): Range => ({
    start: (startOfDate(first, zone) ?? 0) - DAY_MS,
    end: (startOfDate(shiftDate(first, days + AHEAD_DAYS), zone) ?? 0) + DAY_MS,
  })
  const read = async ({ start, end }: Range, abort: AbortSignal) => {
    const [from, to] = [start, end].map((ms) => new Date(ms).toISOString())
    const [busy, known] = await Promise.all([
      api.get(`/api/schedule?from=${from}&to=${to}`, schedule, abort),
      auth.current.peek() ? api.get(slotsPath(named, { from, to, qpu }), slots, abort) : { items: [] },
    ])
    return entriesOf(busy, known.items, qpu, Date.now())
  }
  const who = auth.current.value?.record.id
  const entries = useResource((abort) => read(range(), abort), [qpu, zone, first, days, who])
  const coming = useResource(
    (abort) => read({ start: Date.now(), end: Date.now() + AHEAD_DAYS * DAY_MS }, abort),
    [qpu, who],
  )
  const reload = () => {
    entries.loadSoon()
    coming.loadSoon()
  }
  useLive(['time_slots/*', 'sessions/*', 'calibration_requests/*', 'qpus/*'], reload)
  useEffect(() => {
    const timer = setInterval(() => {
      if (document.visibilityState === 'visible' && live.state.peek() === 'live') reload()
    }, RELOAD_MS)
    return () => clearInterval(timer)
  }, [])
  return { entries, coming, reload }
}

function slotsPath(
  named: App['named'],
  { from = '', to = '', qpu }: { from: string | undefined; to: string | undefined; qpu: string },
): string {
  const stored = (iso: string) => iso.replace('T', ' ')
  const filter = `start_time < "${stored(to)}" && end_time > "${stored(from)}" && (qpu = "${qpu}" || qpu = "")`
  const query = new URLSearchParams({
    filter,
    expand: 'booked_by',
    sort: 'start_time',
    perPage: String(MAX_SLOTS),
    skipTotal: 'true',
  })
  return `/api/collections/${named('time_slots')}/records?${query}`
}

/** How often a new slot repeats. */
export interface Repetition {
  every: 'once' | 'weeks' | 'until'
  weeks: string
  until: string
}
const ONCE: Repetition = { every: 'once', weeks: '4', until: '' }

/** The slot that is being booked or changed, and the requests that do it. */
export interface Booking {
  draft: Signal<Draft | undefined>
  repetition: Signal<Repetition>
  /** Id of the user to book for; empty for oneself. */
  user: Signal<string>
  busy: Signal<boolean>
  error: Signal<unknown>
  /** Begins with a draft, or replaces it; what the server said about the one before goes. */
  set(draft: Draft | undefined): void
  /** Books or changes the slot; resolves to whether it succeeded. */
  save(qpu: string, zone: string): Promise<boolean>
}

/** The draft of a page. */
export function useBooking(): Booking {
  const { api, named } = useApp()
  return useMemo(() => {
    const draft = signal<Draft | undefined>(undefined)
    const [repetition, user] = [signal(ONCE), signal('')]
    const [busy, error] = [signal(false), signal<unknown>(undefined)]
    const set = (next: Draft | undefined) => {
      error.value = undefined
      draft.value = next
      if (next) return
      repetition.value = ONCE
      user.value = ''
    }
    const send = (body: object, id: string | undefined): Promise<unknown> =>
      id === undefined
        ? api.post('/api/bookings', body, booked)
        : api.patch(`/api/collections/${named('time_slots')}/records/${id}`, body, slot)
    return {
      draft,
      repetition,
      user,
      busy,
      error,
      set,
      async save(qpu, zone) {
        const sent = draft.peek()
        if (!sent || busy.peek()) return false
        const [start_time, end_time] = [sent.start, sent.end].map((ms) => new Date(ms).toISOString())
        busy.value = true
        error.value = undefined
        try {
          await send(
            sent.id === undefined
              ? { start_time, end_time, qpu, time_zone: zone, ...extras(repetition.peek(), user.peek()) }
              : { start_time, end_time },
            sent.id,
          )
          set(undefined)
          return true
        } catch (thrown) {
          error.value = thrown
          return false
        } finally {
          busy.value = false
        }
      },
    }
  }, [api])
}

function extras({ every, weeks, until }: Repetition, user: string): object {
  return {
    ...(every === 'weeks' ? { weeks: Number(weeks) } : {}),
    ...(every === 'until' ? { until } : {}),
    ...(user === '' ? {} : { user }),
  }
}

/** The coming slots of the account itself. */
export function useOwnSlots(): Resource<Slot[]> {
  const { api, named, account, superuser } = useApp()
  const own = useResource(
    async (abort) => {
      // Superusers book as a user of their own with the same address, and read the slots of everybody.
      const mine = superuser.peek()
        ? ` && booked_by.unlimited = true && booked_by.email = "${account.peek()?.email ?? ''}"`
        : ''
      const query = new URLSearchParams({
        filter: `end_time > @now${mine}`,
        sort: 'start_time',
        perPage: '20',
        skipTotal: 'true',
      })
      return (await api.get(`/api/collections/${named('time_slots')}/records?${query}`, slots, abort)).items
    },
    [account.value?.id],
  )
  useLive('time_slots/*', () => own.loadSoon())
  return own
}
