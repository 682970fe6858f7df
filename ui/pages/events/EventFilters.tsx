import { useApp } from '../../app/app.ts'
import { DayRange } from '../../parts/form/DayRange.tsx'
import { Select } from '../../parts/form/form.tsx'
import { EVENT_TYPES, type EventFilter } from './event-filter.ts'

interface EventFiltersProps {
  filter: EventFilter
  /** Drivers to choose from, by id; absent on the page of a driver. */
  drivers: ReadonlyMap<string, string> | undefined
  set: (part: Partial<EventFilter>) => void
}

/** The filters of the log of events. */
export function EventFilters({ filter, drivers, set }: EventFiltersProps) {
  const { qpus, zone } = useApp()
  const named = (qpus.value.value ?? []).map(({ id, name }): [string, string] => [id, name])
  return (
    <div class="filter-grid">
      <Choice
        label="Type"
        value={filter.type}
        all="All but readings"
        choices={[['all', 'All'], ...EVENT_TYPES.map((type) => [type, type] as const)]}
        set={(type) => set({ type })}
      />
      {drivers && (
        <>
          <Choice
            label="Driver"
            value={filter.driver}
            choices={[...drivers]}
            set={(driver) => set({ driver })}
          />
          <Choice label="QPU" value={filter.qpu} choices={named} set={(qpu) => set({ qpu })} />
        </>
      )}
      <label>
        Subject
        <input
          type="search"
          placeholder="Channel, qubit…"
          maxLength={100}
          value={filter.subject}
          onChange={({ currentTarget }) => set({ subject: currentTarget.value.trim() })}
        />
      </label>
      <DayRange zone={zone.value} from={filter.from} to={filter.to} set={set} />
    </div>
  )
}

interface ChoiceProps {
  label: string
  value: string
  /** What is chosen without a value. */
  all?: string
  choices: readonly (readonly [value: string, title: string])[]
  set: (value: string) => void
}

function Choice({ label, value, all = 'All', choices, set }: ChoiceProps) {
  return <Select label={label} labelClass="" value={value} choices={[['', all], ...choices]} set={set} />
}
