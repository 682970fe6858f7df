import type { ComponentChildren } from 'preact'

interface CheckProps {
  checked: boolean
  set: (checked: boolean) => void
  disabled?: boolean
  children: ComponentChildren
}

/** A check box with its text. */
export function Check({ checked, set, disabled = false, children }: CheckProps) {
  return (
    <label class="check">
      <input
        type="checkbox"
        checked={checked}
        disabled={disabled}
        onChange={({ currentTarget }) => set(currentTarget.checked)}
      />
      {children}
    </label>
  )
}
