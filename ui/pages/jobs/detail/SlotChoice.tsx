import type { Signal } from '@preact/signals'
import { Select } from '../../../parts/form/form.tsx'

/** The choice of one of several bits; nothing if there is one. */
export function SlotChoice({ slots, slot }: { slots: number; slot: Signal<number> }) {
  if (slots < 2) return null
  return (
    <Select
      label="Bit"
      value={String(slot.value)}
      choices={Array.from({ length: slots }, (_, index) => String(index))}
      set={(index) => (slot.value = Number(index))}
    />
  )
}
