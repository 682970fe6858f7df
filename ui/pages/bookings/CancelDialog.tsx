import { type Signal, useSignal } from '@preact/signals'
import type { Slot } from '../../api/model/bookings.ts'
import { useApp } from '../../app/app.ts'
import { parseTime } from '../../lib/time.ts'
import { dateIn } from '../../lib/zone.ts'
import { Dialog } from '../../parts/Dialog.tsx'
import { formatTimes } from './logic/draft.ts'
import { formatLongDay } from './logic/week.ts'

interface CancelDialogProps {
  /** The slot to cancel; undefined while nothing is asked. */
  slot: Signal<Slot | undefined>
  zone: string
  onDone: () => void
}

/** Asks before a slot is cancelled, and whether the later ones of its repetition are cancelled too. */
export function CancelDialog({ slot, zone, onDone }: CancelDialogProps) {
  const { api, attempt, toast } = useApp()
  const following = useSignal(false)
  const asked = slot.value
  const close = () => {
    slot.value = undefined
    following.value = false
  }
  const cancel = async () => {
    if (!asked) return
    const query = following.peek() ? '?following=1' : ''
    close()
    await attempt(async () => {
      await api.remove(`/api/bookings/${asked.id}${query}`)
      toast(query === '' ? 'The slot was cancelled.' : 'The slot and the following ones were cancelled.')
    })
    onDone()
  }
  const range = { start: parseTime(asked?.start_time) ?? 0, end: parseTime(asked?.end_time) ?? 0 }
  return (
    <Dialog title="Cancel the slot?" open={asked !== undefined} onClose={close}>
      <p>
        {formatLongDay(dateIn(range.start, zone))}, {formatTimes(range, zone)}. Others can then book this
        time.
      </p>
      {asked?.series && (
        <fieldset class="choice">
          <legend class="unseen">Which slots</legend>
          {[false, true].map((all) => (
            <label key={String(all)}>
              <input
                type="radio"
                name="following"
                checked={following.value === all}
                onChange={() => (following.value = all)}
              />
              {all ? 'This and the following ones' : 'Only this slot'}
            </label>
          ))}
        </fieldset>
      )}
      <div class="actions">
        <button type="button" class="danger" onClick={() => void cancel()}>
          Cancel {following.value ? 'these slots' : 'the slot'}
        </button>
        <button type="button" onClick={close}>
          Keep it
        </button>
      </div>
    </Dialog>
  )
}
