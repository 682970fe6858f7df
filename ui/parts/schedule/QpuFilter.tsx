import { useQuery } from '../../app/use-query.ts'
import { Check } from '../form/form.tsx'

/** Chooses the QPUs of a schedule, in the address; none chosen means all of them. */
export function QpuFilter({ names, chosen }: { names: readonly string[]; chosen: readonly string[] }) {
  const query = useQuery()
  const toggle = (name: string) =>
    query.set({ qpu: chosen.includes(name) ? chosen.filter((one) => one !== name) : [...chosen, name] })
  return (
    <details class="qpu-filter">
      <summary>{chosen.length === 0 ? 'All QPUs' : `${chosen.length} of ${names.length} QPUs`}</summary>
      <fieldset>
        <legend class="unseen">QPUs of the schedule</legend>
        {names.map((name) => (
          <Check key={name} checked={chosen.includes(name)} set={() => toggle(name)}>
            {name}
          </Check>
        ))}
        {chosen.length > 0 && (
          <button type="button" class="link" onClick={() => query.set({ qpu: '' })}>
            Show all
          </button>
        )}
      </fieldset>
    </details>
  )
}
