import type { Qpu } from '../../api/model/qpus.ts'
import { useApp } from '../../app/app.ts'
import { occupancyText } from '../../jobs/occupancy.ts'
import { qpuCondition } from '../../jobs/status.ts'
import { Status } from '../../parts/Status.tsx'

/** Name, state and queue of a QPU, left of its lane. */
export function QpuHead({ qpu }: { qpu: Qpu }) {
  const { availability, zone } = useApp()
  const condition = qpuCondition(qpu, availability.value.value)
  return (
    <div class="ribbon-head">
      <div>
        <a href={`/qpus/${encodeURIComponent(qpu.name)}`}>{qpu.name}</a>
        <Status {...condition} />
      </div>
      <p>{occupancyText(qpu, condition.reason, Date.now(), zone.value)}</p>
    </div>
  )
}
