import { useSignal } from '@preact/signals'
import type { ComponentChildren } from 'preact'

/**
 * A dialog that is there while it is about something: what stands in the page, and how to open it. `render`
 * gets what it is about and how to close it.
 */
export function useDialog<T = void>(
  render: (about: T, close: () => void) => ComponentChildren,
): [shown: ComponentChildren, open: (about: T) => void] {
  const about = useSignal<{ value: T } | undefined>(undefined)
  const close = () => {
    about.value = undefined
  }
  const open = (value: T) => {
    about.value = { value }
  }
  return [about.value && render(about.value.value, close), open]
}
