import type { Signal } from '@preact/signals'
import { useId } from 'preact/hooks'

interface SegmentsProps<Value extends string> {
  label: string
  value: Signal<Value> | { value: Value }
  choices: readonly (readonly [Value, string])[]
  /** Shows the label, for fields of a form. */
  isLabelShown?: boolean
}

/** A choice of a few values, side by side. */
export function Segments<Value extends string>({
  label,
  value,
  choices,
  isLabelShown,
}: SegmentsProps<Value>) {
  const name = useId()
  return (
    <fieldset class="segments">
      <legend class={isLabelShown ? undefined : 'unseen'}>{label}</legend>
      {choices.map(([id, title]) => (
        <label key={id}>
          <input type="radio" name={name} checked={value.value === id} onChange={() => (value.value = id)} />
          <span>{title}</span>
        </label>
      ))}
    </fieldset>
  )
}
