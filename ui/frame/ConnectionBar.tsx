import { useSignal } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import { useApp } from '../app/app.ts'
import { formatMoment } from '../lib/time.ts'

/** Most connection losses are shorter than this, so the bar appears only afterwards. */
const LOSS_GRACE_MS = 1_500

/** Shows that the data may be stale while the event stream is lost. */
export function ConnectionBar() {
  const { live, zone } = useApp()
  const shown = useSignal(false)
  const lost = live.state.value === 'lost'
  const until = live.completeUntil.value
  useEffect(() => {
    shown.value = false
    if (!lost) return undefined
    // A silence is a part of it.
    const timer = setTimeout(
      () => {
        shown.value = true
      },
      (until ?? Date.now()) + LOSS_GRACE_MS - Date.now(),
    )
    return () => clearTimeout(timer)
  }, [lost])
  if (!lost || !shown.value) return null
  return (
    <p class="connection tone-warn" role="status">
      Reconnecting
      {until === undefined
        ? '. This page does not update meanwhile.'
        : `, data from ${formatMoment(until, Date.now(), zone.value)}`}
    </p>
  )
}
