import type { Signal } from '@preact/signals'

interface CircuitChoiceProps {
  /** Names of the circuits; empty where there is none. */
  names: readonly string[]
  chosen: Signal<number>
}

/** The choice of one of several circuits of a job. */
export function CircuitChoice({ names, chosen }: CircuitChoiceProps) {
  return (
    <label class="beside">
      Circuit
      <select
        value={chosen.value}
        onChange={({ currentTarget }) => {
          chosen.value = Number(currentTarget.value)
        }}
      >
        {names.map((name, index) => (
          <option key={index} value={index}>
            {index + 1} of {names.length}
            {name && `, ${name}`}
          </option>
        ))}
      </select>
    </label>
  )
}
