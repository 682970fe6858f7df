import type { Job } from '../../../../api/model/jobs.ts'
import { calibrationValues } from '../../../../api/model/qpus/chip.ts'
import { useApp } from '../../../../app/app.ts'
import { useResource } from '../../../../app/use-resource.ts'
import { formatSeconds } from '../../../../lib/format.ts'
import { parseTime } from '../../../../lib/time.ts'
import { driftsOf } from './drift.ts'

/** Changes that are named. */
const NAMED_CHANGES = 3

/** How long before the job its QPU was calibrated, and what was measured differently since. */
export function Since({ job, isShared }: { job: Job; isShared: boolean }) {
  const { api } = useApp()
  const { qpu, started_at: started, calibration, results } = job
  const report = calibration?.before.report
  const values = useResource(
    async (abort) => {
      if (!qpu || !started || !report || isShared) return undefined
      const path = `/api/calibration/values?qpu=${encodeURIComponent(qpu)}`
      return Promise.all([
        api.get(`${path}&at=${encodeURIComponent(started)}`, calibrationValues, abort),
        api.get(path, calibrationValues, abort),
      ])
    },
    [qpu, started, report],
  ).value.value
  if (!report) return null
  const used = results?.metadata?.calibration
  const [before, now] = values ?? []
  const elements = used && new Set(Object.keys(used))
  const drifts = before && now ? driftsOf(before.values, now.values, elements) : []
  const named = drifts.slice(0, NAMED_CHANGES)
  return (
    <>
      <a href={`/calibrations/${report}`}>{ageOf(calibration.before.calibrated_at, started)}</a>
      {named.map(({ element, title, share, isWorse }) => (
        <span key={`${element} ${title}`} class={isWorse ? 'tone-bad' : undefined}>
          , {element}: {title} {Math.round(share * 100)} % {isWorse ? 'worse' : 'better'} since
        </span>
      ))}
      {drifts.length > named.length && `, ${drifts.length - named.length} more`}
      {calibration.changed && <strong>, changed while it ran</strong>}
    </>
  )
}

function ageOf(calibrated: string | null, started: string | null): string {
  const [from, to] = [parseTime(calibrated), parseTime(started)]
  if (from === undefined || to === undefined) return 'report'
  return `${formatSeconds(Math.max(0, Math.round((to - from) / 1_000)))} before`
}
