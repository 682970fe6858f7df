import type { Signal } from '@preact/signals'
import { Select } from '../../parts/form/form.tsx'

interface CircuitChoiceProps {
  /** Names of the circuits; empty where there is none. */
  names: readonly string[]
  chosen: Signal<number>
}

/** The choice of one of several circuits of a job. */
export function CircuitChoice({ names, chosen }: CircuitChoiceProps) {
  return (
    <Select
      label="Circuit"
      value={String(chosen.value)}
      choices={names.map((name, index) => [
        String(index),
        `${index + 1} of ${names.length}${name && `, ${name}`}`,
      ])}
      set={(index) => (chosen.value = Number(index))}
    />
  )
}
