import type { TimeRequest } from '../../api/model/users.ts'
import { formatSeconds } from '../../lib/format.ts'
import { Status } from '../../parts/Status.tsx'

/** The state of a request, with the granted amount if it is another one, and the reason of a rejection. */
export function RequestStatus({ request }: { request: TimeRequest }) {
  const { status, seconds, granted_seconds, rejection_reason } = request
  if (status === 'pending') return <Status tone="idle" glyph="ring" word="Open" />
  if (status === 'rejected') {
    return (
      <span>
        <Status tone="bad" glyph="cross" word="Rejected" />
        {rejection_reason && <small class="reason">{rejection_reason}</small>}
      </span>
    )
  }
  const isOther = granted_seconds !== 0 && granted_seconds !== seconds
  return (
    <span>
      <Status tone="ok" glyph="check" word="Approved" />
      {isOther && <small class="reason">{formatSeconds(granted_seconds)} granted</small>}
    </span>
  )
}
