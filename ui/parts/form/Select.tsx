import { useId } from 'preact/hooks'

/** A value, and its text where that is another one. */
type Choice = string | readonly [value: string, text: string]

interface SelectProps {
  value: string
  choices: readonly Choice[]
  set: (value: string) => void
  /** A visible label before it, and its class. */
  label?: string
  labelClass?: string
  id?: string
  class?: string
  'aria-label'?: string
  'aria-invalid'?: boolean | undefined
  'aria-describedby'?: string | undefined
}

/** A list of which one value is chosen. */
export function Select({ value, choices, set, label, labelClass = 'beside', ...attributes }: SelectProps) {
  const id = useId()
  const list = (
    <select id={id} {...attributes} value={value} onChange={({ currentTarget }) => set(currentTarget.value)}>
      {choices.map((choice) => {
        const [item, text] = typeof choice === 'string' ? [choice, choice] : choice
        return (
          <option key={item} value={item}>
            {text}
          </option>
        )
      })}
    </select>
  )
  if (label === undefined) return list
  return (
    <label class={labelClass} for={id}>
      {label}
      {list}
    </label>
  )
}
