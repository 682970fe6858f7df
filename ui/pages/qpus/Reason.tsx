import type { Qpu } from '../../api/model/qpus.ts'
import { useApp } from '../../app/app.ts'
import { shortTime } from '../../jobs/occupancy.ts'
import { qpuCondition } from '../../jobs/status.ts'

/** Why a QPU takes no jobs, since when, and until when that is expected, as far as it is known. */
export function Reason({ qpu, now }: { qpu: Qpu; now: number }) {
  const { zone } = useApp()
  const { reason, takesJobs } = qpuCondition(qpu)
  const time = (at: string | null | undefined) => shortTime(at ?? '', now, zone.value)
  const since = takesJobs || qpu.reason?.code === 'calibrating' ? '' : time(qpu.closed_since)
  const until = qpu.maintenance ? time(qpu.maintenance_until) : ''
  return (
    <>
      {reason}
      {since && `, since ${since}`}
      {until && `, until ${until}`}
    </>
  )
}
