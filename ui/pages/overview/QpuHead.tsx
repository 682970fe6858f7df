import { MINUTE_MS, SECOND_MS } from '../../../src/base/portable/units.ts'
import type { Qpu } from '../../api/model/qpus.ts'
import { useApp } from '../../app/app.ts'
import { useNow } from '../../app/use-now.ts'
import { newJobStart, occupancyText } from '../../jobs/occupancy.ts'
import { qpuCondition } from '../../jobs/status.ts'
import { Status } from '../../parts/Status.tsx'

/** Name, state and queue of a QPU, left of its lane. */
export function QpuHead({ qpu }: { qpu: Qpu }) {
  const { zone } = useApp()
  const condition = qpuCondition(qpu)
  // The idle time of a session counts seconds.
  const now = useNow(qpu.session?.idle_since ? SECOND_MS : MINUTE_MS).value
  const start = newJobStart(qpu, condition, now, zone.value)
  const first = condition.takesJobs ? `A new job starts: ${start}` : condition.reason
  return (
    <div class="ribbon-head">
      <div>
        <a href={`/qpus/${encodeURIComponent(qpu.name)}`}>{qpu.name}</a>
        <Status {...condition} />
      </div>
      <p>{occupancyText(qpu, first, now, zone.value)}</p>
    </div>
  )
}
