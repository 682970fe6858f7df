import { useApp } from '../../app/app.ts'
import { useNow } from '../../app/use-now.ts'
import { useRecords } from '../../app/use-resource.ts'
import { agoText } from '../../jobs/occupancy.ts'
import { formatCount } from '../../lib/format.ts'
import { Panel } from '../../parts/Panel.tsx'
import { Status } from '../../parts/Status.tsx'
import { type RunningCalibration, runningCalibrations } from './model.ts'

const RENEW_MS = 30_000

/** The calibrations that run, each with its progress. */
export function CalibrationPanels() {
  const query = { filter: 'status = "running"', expand: 'driver', perPage: '4', sort: '-created' }
  const running = useRecords('calibration_requests', query, runningCalibrations)
  return (
    <>
      {running.value.value?.items.map((run) => (
        <Run key={run.id} run={run} />
      ))}
    </>
  )
}

function Run({ run }: { run: RunningCalibration }) {
  const { qpus } = useApp()
  const now = useNow(RENEW_MS)
  const qpu = qpus.value.value?.find(({ id }) => id === run.expand?.driver?.qpu)
  const { step, total, routine, target, phase } = run.progress ?? {}
  const where = target ? ` on ${target}` : ''
  return (
    <Panel
      title={`Calibration on ${qpu?.name ?? run.expand?.driver?.name ?? 'a QPU'}`}
      aside={<Status tone="run" glyph="half" word="Running" />}
    >
      <div class="padded cluster apart run">
        <p>
          <a href={`/calibrations/${run.id}`}>
            {total ? `Step ${formatCount(step ?? 0)} of ${formatCount(total)}` : 'No step reported yet'}
          </a>
          {routine && (
            <>
              : <strong>{routine}</strong>
              {where}
            </>
          )}
          {!routine && phase && `: ${phase}`}
        </p>
        <p class="soft">
          {run.mode?.replaceAll('_', ' ')}, started {agoText(run.started_at, now.value)}
        </p>
        <progress value={step ?? 0} max={total || 1} aria-label="Progress of the calibration" />
      </div>
    </Panel>
  )
}
