import { useSignal } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import { useApp } from '../../../app/app.ts'
import { useQuery } from '../../../app/use-query.ts'
import { dateIn, startOfDate } from '../../../lib/zone.ts'
import { DayRange } from '../../../parts/form/DayRange.tsx'
import { Select } from '../../../parts/form/form.tsx'
import { UserSearch } from '../../../parts/form/UserSearch.tsx'
import { DAYS, FILTERS, PERIODS, STATUSES } from './filters.ts'
import { SaveView } from './SaveView.tsx'

const TYPING_PAUSE_MS = 250

/** The filters above the list; the address is their state. */
export function Filters({ owner }: { owner: string | undefined }) {
  const { qpus, superuser, zone } = useApp()
  const query = useQuery()
  const tag = query.get('tag')
  const [from, to] = [query.get('from'), query.get('to')]
  const today = dateIn(Date.now(), zone.value)
  return (
    <search class="actions filters">
      <SearchField />
      <Choice name="status" label="Status" any="Any status" choices={STATUSES} />
      <Choice
        name="qpu"
        label="QPU"
        any="Any QPU"
        choices={(qpus.value.value ?? []).map(({ name }) => ({ id: name, title: name }))}
      />
      <Choice
        name="recalled"
        label="Recalls"
        any="Recalled or not"
        choices={[
          { id: 'true', title: 'Recalled' },
          { id: 'false', title: 'Not recalled' },
        ]}
      />
      <Choice
        name="from"
        label="Period"
        any="Any time"
        choices={[...DAYS, ...PERIODS, { id: today, title: 'Dates…' }]}
      />
      {(to || startOfDate(from, zone.value) !== undefined) && (
        <DayRange zone={zone.value} from={from} to={to} set={(part) => query.set(part)} />
      )}
      {superuser.value && (
        <Choice
          name="user"
          label="Owner"
          any="Everybody"
          choices={[
            { id: 'me', title: 'My own' },
            ...(owner ? [{ id: query.get('user'), title: owner }] : []),
          ]}
        />
      )}
      {superuser.value && <OwnerSearch />}
      {tag && (
        <button type="button" class="chip" onClick={() => query.set({ tag: '' })}>
          {tag} <span aria-hidden="true">✕</span>
          <span class="unseen">, remove this tag from the filter</span>
        </button>
      )}
      {query.get('calibration') && (
        <button type="button" class="chip" onClick={() => query.set({ calibration: '' })}>
          calibration <code>{query.get('calibration')}</code> <span aria-hidden="true">✕</span>
          <span class="unseen">, remove it from the filter</span>
        </button>
      )}
      {FILTERS.some((name) => query.get(name)) && (
        <button
          type="button"
          class="quiet"
          onClick={() => query.set(Object.fromEntries(FILTERS.map((name) => [name, ''])))}
        >
          Clear
        </button>
      )}
      <SaveView />
    </search>
  )
}

function OwnerSearch() {
  const query = useQuery()
  const text = useSignal('')
  const choose = (user: string) => {
    if (user === '') return
    text.value = ''
    query.set({ user })
  }
  return <UserSearch label="Find an owner" placeholder="Owner" text={text} choose={choose} />
}

function SearchField() {
  const query = useQuery()
  const given = query.get('q')
  const typed = useSignal(given)
  useEffect(() => {
    typed.value = given
  }, [given])
  useEffect(() => {
    if (typed.value === given) return undefined
    const timer = setTimeout(() => query.set({ q: typed.value }), TYPING_PAUSE_MS)
    return () => clearTimeout(timer)
  }, [typed.value])
  return (
    <input
      type="search"
      aria-label="Id, name or tag"
      placeholder="Id, name or tag"
      maxLength={200}
      data-filter
      value={typed.value}
      onInput={({ currentTarget }) => (typed.value = currentTarget.value)}
    />
  )
}

interface ChoiceProps {
  name: string
  label: string
  any: string
  choices: readonly { id: string; title: string }[]
}

function Choice({ name, label, any, choices }: ChoiceProps) {
  const query = useQuery()
  const given = query.get(name)
  return (
    <Select
      aria-label={label}
      value={given}
      choices={[
        ['', any],
        ...choices.map(({ id, title }) => [id, title] as const),
        ...(given && !choices.some(({ id }) => id === given) ? [given] : []),
      ]}
      set={(id) => query.set({ [name]: id })}
    />
  )
}
