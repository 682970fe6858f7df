import { formatNumberOf } from '../../../lib/format.ts'

interface UseSetsProps {
  /** How many sets would be used. */
  count: number
  disabled: boolean
  use: (event: Event) => void
  close: () => void
}

/** The buttons of a dialog that makes parameter sets. */
export function UseSets({ count, disabled, use, close }: UseSetsProps) {
  return (
    <div class="actions">
      <button type="button" class="primary" aria-disabled={disabled} onClick={use}>
        Use {formatNumberOf(count, 'set')}
      </button>
      <button type="button" onClick={close}>
        Cancel
      </button>
    </div>
  )
}
