import type { Signal } from '@preact/signals'

/** The choice of one of several bits; nothing if there is one. */
export function SlotChoice({ slots, slot }: { slots: number; slot: Signal<number> }) {
  if (slots < 2) return null
  return (
    <label class="beside">
      Bit
      <select
        value={slot.value}
        onChange={({ currentTarget }) => {
          slot.value = Number(currentTarget.value)
        }}
      >
        {Array.from({ length: slots }, (_, index) => (
          <option key={index} value={index}>
            {index}
          </option>
        ))}
      </select>
    </label>
  )
}
